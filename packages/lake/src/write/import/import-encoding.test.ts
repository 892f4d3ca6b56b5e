import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';

/** Files in encodings of text, compared with their rows. */
const { file, imported } = importFolder('encoding');

describe('the encoding of text', () => {
  const TEXT = 'name,n\nZürich,1\n"Ångström\nß",2\n';
  const ROWS = [
    ['Zürich', 1],
    ['Ångström\nß', 2],
  ];
  const utf16 = (text: string, isBig = false) => {
    const bytes = Buffer.from(text, 'utf16le');
    return isBig ? bytes.swap16() : bytes;
  };

  it.each([
    ['latin1, by trial', Buffer.from(TEXT, 'latin1'), {}, 'windows-1252', true],
    [
      'latin1, as named',
      Buffer.from(TEXT, 'latin1'),
      { encoding: 'latin1' },
      'windows-1252',
      false,
    ],
    ['UTF-16 with a mark', utf16(`\ufeff${TEXT}`), {}, 'utf-16le', false],
    ['big-endian UTF-16', utf16(`\ufeff${TEXT}`, true), {}, 'utf-16be', false],
    ['UTF-16 without a mark', utf16(TEXT), {}, 'utf-16le', true],
  ])('is read: %s', async (_, bytes, options, label, isGuess) => {
    const { rows, read } = await imported(file('encoded.csv', bytes), options);
    expect([rows, read?.encoding]).toEqual([ROWS, { label, isGuess }]);
  });

  it('is read for JSON too', async () => {
    const path = file('encoded.ndjson', Buffer.from('{"name":"Zürich"}\n', 'latin1'));
    expect((await imported(path)).rows).toEqual([['Zürich']]);
  });

  it.each([
    ['array', '[{"id":1},{"id":2}]', undefined],
    ['features', '{"type":"FeatureCollection","features":[{"id":1},{"id":2}]}', ['features']],
    ['objects', '{"id":1}\n{"id":2}', undefined],
  ])('is read for JSON with a mark of UTF-8 or UTF-16: %s', async (_, text, path) => {
    const marked = `\ufeff${text}`;
    for (const bytes of [Buffer.from(marked), utf16(marked), utf16(marked, true)]) {
      const { rows, read } = await imported(file('marked.json', bytes));
      expect([rows.map(([id]) => id), read?.rows?.path]).toEqual([[1, 2], path]);
    }
    const named = await imported(file('marked.json', marked), { encoding: 'utf-8' });
    expect(named.rows.map(([id]) => id)).toEqual([1, 2]);
  });

  it('that nothing says is refused with its line, and an unknown name too', async () => {
    const mixed = Buffer.concat([Buffer.from('a\nZürich\n'), Buffer.from('Zürich\n', 'latin1')]);
    const refused = imported(file('mixed.csv', mixed));
    await expect(refused).rejects.toThrow(/line 3: bytes that are not UTF-8; name its encoding/);
    await expect(refused).rejects.toMatchObject({ details: { option: 'encoding' } });
    const unknown = imported(file('x.csv', 'a\n1\n'), { encoding: 'klingon' });
    await expect(unknown).rejects.toThrow(/there is no encoding "klingon"/);
    const wrong = imported(file('y.csv', Buffer.from('a\n\x81\n', 'latin1')), {
      encoding: 'shift_jis',
    });
    await expect(wrong).rejects.toThrow(/has bytes that are not shift_jis/);
  });
});
