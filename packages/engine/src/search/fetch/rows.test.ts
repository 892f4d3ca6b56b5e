import type { Locator, Row, SourceTable } from '@lakehouse-search/lake';
import { describe, expect, test } from 'vitest';
import type { IndexSnapshot } from '../../index/index-snapshot.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { shardTable } from '../../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../../schema/sharding/key-buckets.ts';
import type { Shard, ShardKeys } from '../../shard/shard.ts';
import { type SearchContext, UNKNOWN_LAG } from '../context.ts';
import { getKeys } from './get-keys.ts';
import { hydrate } from './hydrate.ts';
import { rowsOfTable } from './table-rows.ts';

const FIELDS = [
  { id: 1, name: 'id', required: true, type: { kind: 'long' } },
  { id: 2, name: 'title', required: false, type: { kind: 'string' } },
] as const;

/** A table of one data file: row ordinal -> row. `dead`: rows that are deleted or were moved. */
function fakeTable(rows: readonly Row[], file: string, calls: string[]): SourceTable {
  return {
    name: 'ops.incidents',
    currentSnapshotId: 7n,
    schema: { schemaId: 0, fields: FIELDS, identifierFieldIds: [1] },
    async lookup(locators: readonly Locator[]) {
      calls.push(`lookup ${locators.length}`);
      return locators.map((at) => (at.file === file ? (rows[at.position] ?? null) : null));
    },
    async lookupKeys(_: readonly string[], keys: readonly (readonly unknown[])[]) {
      calls.push(`keys ${keys.map((key) => key.join()).join(' ')}`);
      return keys.map(([id]) => {
        const position = rows.findIndex((row) => row.id === id);
        return position < 0 ? null : { row: rows[position], locator: { file, position } };
      });
    },
  } as unknown as SourceTable;
}

/** An index whose document d is row d of `file`. `asked`: by shard, receives the keys it looks up. */
function context(
  table: SourceTable | Error,
  file: string,
  asked: readonly string[][] = [[]],
): SearchContext {
  const find = (key: Uint8Array) => {
    const doc = Number(Buffer.from(key).toString()) - 1;
    return doc >= 0 && doc < 3 ? { locator: { file, position: doc } } : null;
  };
  const shards = asked.map((keysAsked) => {
    const keys = ({ keys }: ShardKeys) => {
      keysAsked.push(...keys.map((key) => Buffer.from(key).toString()));
      return keys.map(find);
    };
    return { keys } as unknown as Shard;
  });
  const snapshot = { files: [file] } as unknown as IndexSnapshot;
  const mapping = {
    definition: { source: {} },
    key: { partition: [], identifier: ['id'] },
    columns: FIELDS,
    keyColumns: 1,
  } as unknown as Mapping;
  return {
    mapping,
    snapshot,
    shards,
    tenant: undefined,
    lag: async () => UNKNOWN_LAG,
    readRows: rowsOfTable(
      async () => {
        if (table instanceof Error) throw table;
        return table;
      },
      mapping,
      undefined,
    ),
  } as unknown as SearchContext;
}

const row = (id: number, title: string): Row => ({ id: BigInt(id), title });
const docsIn = (file: string) =>
  [1, 2, 3].map((id) => ({ key: Buffer.from(String(id)), locator: { file, position: id - 1 } }));
const docs = docsIn('f');

describe('rows of hits', () => {
  test('are read by locator; only missing rows are looked up by key', async () => {
    const calls: string[] = [];
    const table = fakeTable([row(1, 'a'), row(3, 'c'), row(9, 'z')], 'f', calls);
    const rows = await hydrate(context(table, 'f'), docs, undefined, { bytes: 0, requests: 0 });
    expect(rows).toEqual([
      { row: { id: 1, title: 'a' } },
      { hydrate_error: 'row id=2 is no longer in the table: a sync would drop it' },
      { row: { id: 3, title: 'c' }, row_newer: true },
    ]);
    expect(calls).toEqual(['lookup 3', 'keys 2 3']);
  });

  test('are read by key from a compacted table', async () => {
    const calls: string[] = [];
    const table = fakeTable([row(3, 'c'), row(2, 'b'), row(1, 'a')], 'new', calls);
    const rows = await hydrate(context(table, 'old'), docsIn('old'), ['title'], {
      bytes: 0,
      requests: 0,
    });
    expect(rows).toEqual([
      { row: { title: 'a' }, row_newer: true },
      { row: { title: 'b' }, row_newer: true },
      { row: { title: 'c' }, row_newer: true },
    ]);
    expect(calls).toEqual(['lookup 3', 'keys 1 2 3']);
  });

  test('carry an error each for an unreadable source; a wrong column fails the call', async () => {
    const broken = context(new Error('connection refused'), 'f');
    const rows = await hydrate(broken, docs, undefined, { bytes: 0, requests: 0 });
    expect(rows).toEqual(docs.map(() => ({ hydrate_error: 'connection refused' })));
    const table = context(fakeTable([], 'f', []), 'f');
    await expect(hydrate(table, docs, ['titel'], { bytes: 0, requests: 0 })).rejects.toThrow(
      'column "titel" is not in ops.incidents; did you mean "title"?',
    );
  });

  test('come in the order of the requested keys, with absent keys listed', async () => {
    const table = fakeTable([row(1, 'a'), row(2, 'b'), row(8, 'h')], 'f', []);
    const key = (value: string) => ({ identifier: [{ name: 'id', value }] });
    const keys = ['8', 'x', '2', '007', '1'].map(key);
    const answer = await getKeys(context(table, 'f'), { keys, columns: ['title'] });
    const named = (id: string) => ({ key: key(id), coordinates: key(id), id });
    expect(answer.rows).toEqual([
      { ...named('8'), fields: { title: 'h' } },
      { ...named('2'), fields: { title: 'b' } },
      { ...named('1'), fields: { title: 'a' } },
    ]);
    expect(answer.missing).toEqual(
      ['x', '007'].map((id) => ({ ...key(id), coordinates: key(id), id })),
    );
    expect(answer.snapshot).toBe('7');
  });

  test('come from the shards of their keys, each asked for its own keys alone', async () => {
    const table = fakeTable([row(1, 'a'), row(2, 'b'), row(3, 'c')], 'f', []);
    const asked: string[][] = [[], [], []];
    const ids = ['3', '1', '2', '11', '12', '13'];
    const keys = ids.map((value) => ({ identifier: [{ name: 'id', value }] }));
    const answer = await getKeys(context(table, 'f', asked), { keys, columns: ['title'] });
    expect(answer.rows.map(({ fields }) => fields)).toEqual([
      { title: 'c' },
      { title: 'a' },
      { title: 'b' },
    ]);
    expect(answer.missing).toMatchObject(keys.slice(3));
    const owned = asked.map((_, shard) =>
      ids.filter(
        (id) => shardOfKey(Buffer.from(id), shardTable({ shards: asked.length })) === shard,
      ),
    );
    expect(asked).toEqual(owned);
    expect(owned.filter((own) => own.length > 0).length).toBeGreaterThan(1);
  });
});
