import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inlineSynonyms } from './inline-synonyms.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-synonyms-'));
beforeAll(() => {
  writeFileSync(
    join(folder, 'words.txt'),
    '# sets\r\ntv, television\r\n\n laptop => "note\\book" \n',
  );
  writeFileSync(join(folder, 'few'), 'a, b');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RULES = ['tv, television', 'laptop => "note\\book"'];

describe('files of synonyms', () => {
  it('are lists in the definition, whose other text stays', async () => {
    const text = `version: 1 # one
synonyms: words.txt # of the shop
fields:
  - { name: title, type: TEXT, synonyms: "few" }
  - name: body
    synonyms: [[x, y]]
  - { name: notes, synonyms: false }
`;
    const whole = await inlineSynonyms(text, folder);
    expect(whole.split('\n').length).toBe(text.split('\n').length);
    expect(whole).toContain('# of the shop');
    expect(parse(whole)).toEqual({
      version: 1,
      synonyms: RULES,
      fields: [
        { name: 'title', type: 'TEXT', synonyms: ['a, b'] },
        { name: 'body', synonyms: [['x', 'y']] },
        { name: 'notes', synonyms: false },
      ],
    });
  });

  it('that are missing are named', async () => {
    await expect(inlineSynonyms('synonyms: none.txt', folder)).rejects.toThrow(/no file ".*none/);
  });

  it('are looked for in definitions that can be parsed alone', async () => {
    const text = '{ synonyms';
    expect(await inlineSynonyms(text, folder)).toBe(text);
  });
});
