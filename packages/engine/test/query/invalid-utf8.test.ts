/**
 * Strings of data files that are no UTF-8: each wrong sequence is read as U+FFFD, by both readers
 * of Parquet, so that an index of them is that of the mended texts: built, synced, searched,
 * verified, hydrated, looked up by key.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleteRows, openTable, valueAt } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'string', t: 'string', k: 'string' });
const FIELDS = `fields:
  - { name: t, type: TEXT, analyzer: simple, cached: true }
  - { name: k, type: KEYWORD, fast: true, cached: true }`;
/** What stands in the rows, and the bytes that it is overwritten with: as long, and no UTF-8. */
const WRONG: readonly (readonly [string, readonly number[]])[] = [
  ['BADa', [0xff, 0xc3, 0x28, 0xfe]],
  ['BADb', [0xe2, 0x82, 0x28, 0xf0]],
  ['BADc', [0xed, 0xa0, 0x80, 0x20]],
  ['BADd', [0xc0, 0x80, 0xf8, 0x88]],
];
const mended = (text: string): string =>
  WRONG.reduce((all, [name, bytes]) => all.replaceAll(name, Buffer.from(bytes).toString()), text);
type Row = { readonly id: string; readonly t: string; readonly k: string };
const ROWS: readonly Row[] = Array.from({ length: 40 }, (_, i) => {
  const bad = i % 3 === 0 ? WRONG[i % WRONG.length]![0] : 'good';
  return { id: `${bad}-${i}`, t: `word${i} ${bad}tail fox${bad}`, k: `v ${bad} ${i % 7}` };
});
const mend = ({ id, t, k }: Row): Row => ({ id: mended(id), t: mended(t), k: mended(k) });

let spoiled: SmallLake;
let plain: SmallLake;
beforeEach(async () => {
  [spoiled, plain] = [await openSmallLake(), await openSmallLake()];
  for (const lake of [spoiled, plain]) {
    await lake.create(SCHEMA);
    await lake.define(FIELDS);
  }
});
afterEach(async () => {
  await spoiled.close();
  await plain.close();
});

/** Small files of the writer are not compressed: their texts are overwritten in place. */
function spoil({ folder }: SmallLake): void {
  const data = join(folder, 'lake/a/t/data');
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name));
    for (const [text, wrong] of WRONG) {
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text)) bytes.set(wrong, at);
    }
    writeFileSync(join(data, name), bytes);
  }
}
async function append(rows: readonly Row[]): Promise<void> {
  await spoiled.append(rows);
  spoil(spoiled);
  await plain.append(rows.map(mend));
}
const both = <T>(work: (lake: SmallLake) => Promise<T>) =>
  Promise.all([work(spoiled), work(plain)] as const);
async function expectSame(work: (lake: SmallLake) => Promise<unknown>): Promise<void> {
  const [found, wanted] = await both(work);
  expect(found).toEqual(wanted);
}
const search =
  (request: object) =>
  async ({ backend }: SmallLake) => {
    const { hits, total } = await backend.search({ limit: 100, hydrate: true, ...request });
    return { total, hits };
  };

describe('texts that are not UTF-8', () => {
  test.each(['own', 'duckdb', 'auto'] as const)('the reader "%s" mends them', async (engine) => {
    await append(ROWS);
    const table = await openTable(spoiled.source, { engine });
    const found: unknown[] = [];
    for await (const batch of table.scan({ columns: ['id', 't', 'k'] })) {
      for (let row = 0; row < batch.rows; row++) {
        const [id, t, k] = batch.columns.map((column) => valueAt(column, row));
        found.push({ id, t, k });
      }
    }
    await table.close();
    expect(found).toEqual(ROWS.map(mend));
  });

  test('index like the mended texts, built and synced', async () => {
    await append(ROWS.slice(0, 25));
    await both(({ backend }) => backend.reindex({}));
    await append(ROWS.slice(25));
    await both(({ backend }) => backend.sync({}));
    const gone = mended(ROWS[3]!.id);
    await both((lake) => deleteRows(lake.source, `id = '${ROWS[4]!.id}' OR id = '${gone}'`));
    await both(({ backend }) => backend.sync({}));
    expect(await spoiled.documents()).toEqual(await plain.documents());
    expect(spoiled.hashes()).toEqual(plain.hashes());
    await expectSame(
      search({ query: '*:*', sort: [{ field: 'k' }, { field: '_key', desc: true }] }),
    );
    await expectSame(search({ query: 'tail OR fox*', highlight: { fields: ['t'] } }));
    const value = mended(ROWS[0]!.k);
    await expectSame(search({ ast: { term: { field: 'k', value } } }));
    expect((await search({ ast: { term: { field: 'k', value } } })(spoiled)).total).toBeGreaterThan(
      0,
    );
    await expectSame(({ backend }) =>
      backend.suggest({ field: 'k', text: 'v \ufffd', limit: 20 }).then((s) => s.suggestions),
    );
    const keys = ROWS.map((row) => ({ identifier: [{ name: 'id', value: mended(row.id) }] }));
    await expectSame(async ({ backend }) => (await backend.getKeys({ keys })).rows);
    const [verified] = await both(({ backend }) => backend.verify({}));
    expect(verified).toMatchObject({ equal: true, doc_count: ROWS.length - 2 });
    await spoiled.expectRebuilt();
  });

  test('are refused as keys that become equal when mended', async () => {
    await spoiled.append(['BADa', 'BADd'].map((id) => ({ id: `${id} `, t: 'x', k: 'x' })));
    spoil(spoiled);
    await expect(spoiled.backend.reindex({})).resolves.toMatchObject({ doc_count: 2 });
    const data = join(spoiled.folder, 'lake/a/t/data');
    for (const name of readdirSync(data)) {
      const bytes = readFileSync(join(data, name));
      // ff c3 28 fe and c0 80 f8 88: four sequences each but for the "(".
      for (let at = bytes.indexOf(0xc3); at >= 0; at = bytes.indexOf(0xc3))
        bytes.set([0xc1, 0xc1], at);
      writeFileSync(join(data, name), bytes);
    }
    await expect(spoiled.backend.reindex({})).rejects.toMatchObject({ code: 'source_invalid' });
  });
});
