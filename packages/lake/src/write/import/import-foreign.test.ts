import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';

/** Files of other programs, and the values that these read back: see make.py beside them. */
const FILES = join(import.meta.dirname, '../../../test/foreign-files');
const expected = JSON.parse(readFileSync(join(FILES, 'expected.json'), 'utf8'));
const { file, imported } = importFolder('foreign');

/** Maps as the package writes them in JSON. */
const withMaps = (row: Readonly<Record<string, unknown>>) => ({
  ...row,
  attrs: Object.entries(row.attrs as object).map(([key, value]) => ({
    key,
    value: Number.isSafeInteger(Number(value)) ? Number(value) : value,
  })),
});

const rowsByName = ({ types, rows }: Awaited<ReturnType<typeof imported>>) =>
  rows.map((row) => Object.fromEntries(Object.keys(types).map((name, i) => [name, row[i]])));

describe('an Avro file', () => {
  it.each(['null', 'deflate', 'zstandard', 'snappy'])(
    'has the types and values of its writer, packed by %s',
    async (codec) => {
      const read = await imported(join(FILES, `${codec}.avro`));
      expect(read.types).toMatchObject({
        id: 'long',
        small: 'int',
        f: 'float',
        digits: 'string',
        raw: 'binary',
        money: 'decimal(12, 2)',
        day: 'date',
        clock: 'time',
        at: 'timestamptz',
        micros: 'timestamptz',
        local: 'timestamp',
        kind: 'string',
        tags: 'list<string>',
        attrs: 'map<string, long>',
        place: 'struct<lat: double, seen: list<timestamptz>>',
      });
      expect(rowsByName(read)).toEqual(expected.avro.map(withMaps));
    },
  );

  it('that is damaged or no table is refused by name', async () => {
    const bytes = readFileSync(join(FILES, 'deflate.avro'));
    const cut = imported(file('cut.avro', bytes.subarray(0, -40)));
    await expect(cut).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(cut).rejects.toThrow(/cut\.avro/);
    await expect(imported(file('none.avro', 'no avro'))).rejects.toThrow(/none\.avro/);
  });
});

describe('an Arrow file', () => {
  it.each(['plain.feather', 'lz4.feather', 'zstd.feather', 'stream.arrows'])(
    'has the types and values of its writer: %s',
    async (name) => {
      const read = await imported(join(FILES, name));
      expect(read.types).toMatchObject({
        id: 'long',
        small: 'int',
        raw: 'binary',
        money: 'decimal(12, 2)',
        clock: 'time',
        at: 'timestamptz',
        local: 'timestamp',
        kind: 'string',
        attrs: 'map<string, long>',
        big: 'decimal(20, 0)',
        pair: 'list<int>',
      });
      const rows = rowsByName(read);
      expect(rows).toHaveLength(700);
      const some = [0, 1, 2, 3, 299, 300, 699].map((i) => rows[i]);
      expect(some).toEqual(
        expected.arrow.map((row: { readonly attrs: [string, unknown][] }) =>
          withMaps({ ...row, attrs: Object.fromEntries(row.attrs) }),
        ),
      );
    },
  );

  it('that is damaged is refused by name', async () => {
    const bytes = readFileSync(join(FILES, 'lz4.feather'));
    for (const cut of [bytes.subarray(0, 3000), Buffer.from('ARROW1\\0\\0nothing')]) {
      const broken = imported(file('cut.feather', cut));
      await expect(broken).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(broken).rejects.toThrow(/cut\.feather/);
    }
  });
});

describe('an Excel workbook', () => {
  it('is its first worksheet, with dates by the formats of cells', async () => {
    const { types, rows } = await imported(join(FILES, 'sheet.xlsx'));
    expect(types).toEqual({
      name: 'string',
      n: 'long',
      price: 'double',
      day: 'date',
      at: 'timestamp',
      clock: 'time',
      ok: 'boolean',
      zip: 'string',
      column8: 'string',
      mixed: 'string',
    });
    const wanted = expected.xlsx.map((row: readonly unknown[]) =>
      row.map((value, i) => {
        if (i === 3) return String(value).slice(0, 10);
        return i === 9 ? String(value) : value;
      }),
    );
    expect(rows).toEqual(wanted);
  });

  it('that is none is refused by name', async () => {
    const fake = imported(file('fake.xlsx', 'PK'));
    await expect(fake).rejects.toThrow(/fake\.xlsx": it has no directory/);
  });
});
