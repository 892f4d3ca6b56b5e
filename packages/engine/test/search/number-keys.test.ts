/**
 * Keys of integers and decimals sort by value wherever a key orders documents, against plain sorts
 * of the rows: ties, `_key` in both directions, scrolls and exports, over several segments and over
 * three shards. An index that was built before keeps the order of texts until a reindex.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, SearchRequest } from '@lakehouse-search/contract';
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { analyzersOf } from '../../src/open/definition-analyzers.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { createMapping } from '../../src/schema/mapping.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { rebuildIndex } from '../../src/sync/build/rebuild.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1, 2],
  fields: [
    { id: 1, name: 'id', type: { kind: 'long' }, required: true },
    { id: 2, name: 'price', type: { kind: 'decimal', precision: 9, scale: 2 }, required: true },
    { id: 3, name: 'tag', type: { kind: 'string' }, required: false },
  ],
};
const LINES = `key: { identifier: [id, price] }
fields: [{ name: tag, type: KEYWORD, fast: true }]`;

type Row = { readonly id: string; readonly price: string; readonly tag: string };
const IDS = [-1200, -99, -10, -9, -1, 0, 1, 2, 9, 10, 11, 99, 100, 101, 1000, 20_000];
const BIG = ['9007199254740993', '-9223372036854775808', '9223372036854775807'];
const rows: readonly Row[] = [...IDS.map(String), ...BIG].flatMap((id, i) =>
  ['-10.50', '-9.75', '0.00', '9.99', '10.00', '100.25'].map((price, j) => {
    return { id, price, tag: `t${(i * 7 + j) % 3}` };
  }),
);
const live = rows.filter(({ id }) => id !== '11');
const byValue = (a: Row, b: Row): number => {
  if (a.id !== b.id) return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
  return Number(a.price) - Number(b.price);
};
const byText = (a: Row, b: Row): number =>
  Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)) ||
  Buffer.compare(Buffer.from(a.price), Buffer.from(b.price));
const named = (list: readonly Row[]) => list.map(({ id, price }) => `${id}/${price}`);
const sorted = named(live.toSorted(byValue));

/** An index over the rows in several segments, written in no order. */
async function build(sharding: string): Promise<SmallLake> {
  const lake = await openSmallLake();
  const mixed = rows.toSorted((a, b) => a.tag.localeCompare(b.tag) || byText(b, a));
  const append = (own: readonly Row[]) => lake.append(own);
  await lake.create(schema);
  await lake.define(`${LINES}\n${sharding}`);
  await append(mixed.slice(0, 60));
  await lake.backend.reindex({});
  await append(mixed.slice(60, 80));
  await lake.backend.sync({});
  await append(mixed.slice(80));
  await deleteRows(lake.source, 'id = 11');
  await lake.backend.sync({});
  return lake;
}

const keyOf = ({ coordinates }: { coordinates: { identifier: readonly { value: string }[] } }) =>
  coordinates.identifier.map(({ value }) => value).join('/');

/** The keys of all pages of a search. */
async function scroll({ backend }: SmallLake, request: SearchRequest): Promise<string[]> {
  const keys: string[] = [];
  let after: readonly Json[] | undefined;
  for (;;) {
    const page = after === undefined ? request : { ...request, search_after: after };
    const { hits } = await backend.search(page);
    keys.push(...hits.map(keyOf));
    after = hits.at(-1)?.sort;
    if (after === undefined) return keys;
  }
}

describe.each([
  ['of one shard', ''],
  ['of three shards', 'sharding: { shards: 3 }'],
])('keys of numbers in an index %s', (_, sharding) => {
  let lake: SmallLake;
  beforeAll(async () => {
    lake = await build(sharding);
  });
  afterAll(() => lake.close());

  it('order hits of equal scores by value', async () => {
    const { hits } = await lake.backend.search({ query: '*:*', limit: 200 });
    expect(hits.map(keyOf)).toEqual(sorted);
    const tag = live.filter((row) => row.tag === 't1').sort(byValue);
    const words = await lake.backend.search({ query: 'tag:t1', limit: 200 });
    expect(words.hits.map(keyOf)).toEqual(named(tag));
  });

  it.each([7, 64])('are scrolled by value in pages of %i, in both directions', async (limit) => {
    const request = (desc: boolean) => {
      return { query: '*:*', limit, sort: [{ field: '_key', desc }] };
    };
    expect(await scroll(lake, request(false))).toEqual(sorted);
    expect(await scroll(lake, request(true))).toEqual(sorted.toReversed());
  });

  it('order equal values of another sort, and continue after any of them', async () => {
    const expected = live.toSorted((a, b) => b.tag.localeCompare(a.tag) || byValue(a, b));
    const request = { query: '*:*', limit: 10, sort: [{ field: 'tag', desc: true }] };
    expect(await scroll(lake, request)).toEqual(named(expected));
  });

  it('order exports, of all documents and of a query', async () => {
    const all = await Array.fromAsync(lake.backend.exportDocuments({ index: 't' }));
    expect(all.map(keyOf)).toEqual(sorted);
    const some = await Array.fromAsync(
      lake.backend.exportDocuments({ index: 't', query: 'tag:t2' }),
    );
    expect(some.map(keyOf)).toEqual(named(live.filter((r) => r.tag === 't2').sort(byValue)));
  });

  it('are found by their texts, and verified against the table', async () => {
    const keys = live.slice(0, 9).map(({ id, price }) => ({
      identifier: [
        { name: 'id', value: id },
        { name: 'price', value: price },
      ],
    }));
    const { rows: found, missing } = await lake.backend.getKeys({ index: 't', keys });
    expect([found.length, missing.length]).toEqual([9, 0]);
    expect(await lake.backend.verify({ index: 't' })).toMatchObject({ equal: true });
    const { hits } = await lake.backend.search({ limit: 1 });
    const [{ value: id }, { value: price }] = hits[0]!.coordinates.identifier;
    expect(hits[0]).toMatchObject({ key: `id=${id},price=${price}` });
    expect(hits[0]).not.toHaveProperty('id');
    const { key } = await lake.backend.describeIndex({});
    expect(key).toMatchObject({ partition: [], identifier: ['id', 'price'] });
  });
});

describe('an index that was built before keys sorted by value', () => {
  let lake: SmallLake;
  beforeAll(async () => {
    lake = await build('');
    const indexes = join(lake.folder, 'data', 'indexes');
    const { path, number } = currentGeneration(join(indexes, readdirSync(indexes)[0]))!;
    for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
    const source = `{ catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    const text = `version: 1\nindex: t\nsource: ${source}\n${LINES}\n`;
    const definition = requireDefinition(text, ANALYZER_CATALOG);
    const table = await lake.table();
    const former = { ids: new Map<string, number>(), keyNumbers: [] };
    await rebuildIndex({
      table,
      mapping: createMapping(definition, table.schema, 'a.t', analyzersOf([]), former),
      directory: openLocalDirectory(path),
      generation: number,
      snapshotId: table.currentSnapshotId,
      definitionVersion: 1,
      models: { index: 't', folder: path, baseDir: path, openEmbedder: tinyModels().open },
    });
    await table.close();
    expect(readCommit(openLocalDirectory(path))?.key_numbers).toBeUndefined();
  });
  afterAll(() => lake.close());

  it('keeps the order of texts through syncs, and is sorted by value after a reindex', async () => {
    await lake.append(rows.filter(({ id }) => id === '11'));
    await deleteRows(lake.source, 'id = -99');
    await lake.backend.sync({});
    const now = rows.filter(({ id }) => id !== '-99');
    const request = { query: '*:*', limit: 7, sort: [{ field: '_key' }] };
    expect(await scroll(lake, request)).toEqual(named(now.toSorted(byText)));
    expect(await lake.backend.verify({ index: 't', deep: true })).toMatchObject({ equal: true });
    await lake.backend.reindex({});
    expect(await scroll(lake, request)).toEqual(named(now.toSorted(byValue)));
  });
});
