import type { Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'nr', required: true, type: { kind: 'long' } },
    { id: 2, name: 'year', required: false, type: { kind: 'int' } },
    { id: 3, name: 'rare', required: false, type: { kind: 'string' } },
    { id: 4, name: 'gaps', required: false, type: { kind: 'string' } },
  ],
};
const ROWS = 3000;

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  // `rare`: one value is in two rows; `gaps`: one is NULL.
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const rare = n === 2999 ? 'r7' : `r${n}`;
    return { nr: n, year: 2000 + (n % 10), rare, gaps: n === 2500 ? null : `g${n}` };
  });
  await lake.append(rows.slice(0, 1000));
  await lake.append(rows.slice(1000));
});
afterEach(() => lake.close());

const lines = (key: string, more = '') =>
  `key: { identifier: [${key}] }\n${more}fields: [{ name: year, type: LONG }]`;

async function validated(key: string, more?: string) {
  const definition = `version: 1\nindex: t\nsource: { catalog: ${JSON.stringify(
    lake.source.catalog,
  )}, table: a.t }\n${lines(key, more)}\n`;
  return lake.backend.validateDefinition({ definition, against_source: true });
}

describe('a key that does not tell rows apart', () => {
  it('is refused before anything is built, with the count of rows', async () => {
    await lake.define(lines('year'));
    const phases: string[] = [];
    const progress = ({ phase }: { readonly phase: string }) => void phases.push(phase);
    await expect(lake.backend.reindex({}, { progress })).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringMatching(
        /^key year=20\d\d stands in two rows: .*; 2,990 of 3,000 rows have the key of an earlier row$/,
      ),
      hint: 'name columns in "key" that tell the rows apart, or write key: row',
      next: [{ step: 'validate_definition' }, { step: 'alter_index', index: 't' }],
      details: { shared_rows: 2990, rows: 3000 },
    });
    expect(phases).toEqual([]);
  });

  it('is refused with the hint of `last` if that drops few rows', async () => {
    await lake.define(lines('rare'));
    await expect(lake.backend.reindex({})).rejects.toMatchObject({
      message: expect.stringMatching(
        /^key rare=r7 stands in two rows: row (7|1999) of .* row (7|1999) of [^;]*$/,
      ),
      hint: expect.stringContaining('on_duplicate_key: last'),
    });
  });

  it('is refused by sync with the same counts', async () => {
    await lake.build(lines('nr'));
    const twice = Array.from({ length: 50 }, (_, n) => ({ nr: n, year: 1, rare: 'x', gaps: 'x' }));
    await lake.append(twice);
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      message: expect.stringContaining('; 50 of 3,050 rows have the key of an earlier row'),
      hint: 'name columns in "key" that tell the rows apart, or write key: row',
    });
  });

  it('is an error or a warning of a check of the definition, at the key', async () => {
    expect(await validated('nr')).toEqual([]);
    expect(await validated('year')).toEqual([
      {
        severity: 'error',
        line: 4,
        column: 21,
        message: expect.stringMatching(
          /^the key does not tell rows apart: 2,990 of 3,000 rows have the key of an earlier row/,
        ),
      },
    ]);
    expect(await validated('gaps')).toMatchObject([
      { severity: 'error', message: expect.stringContaining('"gaps" is NULL') },
    ]);
    expect(await validated('gaps', 'on_bad_row: skip\n')).toMatchObject([{ severity: 'warning' }]);
    expect(await validated('year', 'on_duplicate_key: last\n')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('last drops rows: 2,990 of 3,000') },
    ]);
    expect(await validated('rare', 'on_duplicate_key: last\n')).toEqual([]);
  });
});

describe('init with columns of the key', () => {
  it('takes them, and says what the rows say about them', async () => {
    const init = async (...key: string[]) =>
      (await lake.backend.initDefinition({ source: lake.source, key })).definition;
    expect(await init('year', 'nr')).toContain(
      'identifier: [year, nr]     # the values together differ in all 3,000 rows',
    );
    expect(await init('year')).toContain(
      '# WRONG: in all 3,000 rows, 2,990 have a NULL or the key of an earlier row',
    );
    await expect(init('yaer')).rejects.toThrow('column "yaer" is not in a.t; did you mean "year"?');
    await expect(init()).rejects.toThrow('key: name at least one column');
  });
});
