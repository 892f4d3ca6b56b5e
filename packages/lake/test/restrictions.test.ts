// @module-tag campaign
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { seededBelow } from '../../../test/support/random.ts';
import { RestCatalog } from '../../../test/support/rest-catalog.ts';
import {
  type KnownRestrictions,
  type PlainRow,
  plainRows,
  RESTRICTED_SCHEMA,
  randomRestrictions,
} from '../../../test/support/restricted-rows.ts';
import type { Locator } from '../src/scan/batch.ts';
import { valueAt } from '../src/scan/vectors.ts';
import { valueToJson } from '../src/schema/value-json.ts';
import type { Row, SourceTable } from '../src/source-table.ts';
import { type OpenTableOptions, openTable } from '../src/table.ts';
import { appendRows, createTable, upsertRows } from '../src/write/writing.ts';

/** Reads under a catalog's restrictions against the rows that they leave, worked out elsewhere. */
const CASES = byEffort(60, 2000);
const below = seededBelow(20_261_128);
const folder = mkdtempSync(join(tmpdir(), 'lhs-restricted-'));
const catalog = new RestCatalog(join(folder, 'lake', 'ops', 'notes'));
const local = {
  catalog: { type: 'filesystem', warehouse: join(folder, 'lake') } as const,
  table: 'ops.notes',
};
const columns = RESTRICTED_SCHEMA.fields.map(({ name }) => name);
let remote: { readonly catalog: { readonly type: 'rest'; readonly uri: string }; table: string };
let first: PlainRow[];
let later: PlainRow[];

beforeAll(async () => {
  await createTable(local.catalog, local.table, { schema: RESTRICTED_SCHEMA });
  first = plainRows(below, 0, 60);
  await appendRows(local, { kind: 'rows', rows: first });
  const changed = [...plainRows(below, 10, 25), ...plainRows(below, 100, 10)];
  await upsertRows(local, { kind: 'rows', rows: changed });
  const ids = new Set(changed.map(({ id }) => id));
  later = [...first.filter(({ id }) => !ids.has(id)), ...changed];
  remote = { catalog: { type: 'rest', uri: await catalog.listen() }, table: 'ops.notes' };
});
afterAll(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true });
});

function open(restrictions: unknown, options: OpenTableOptions = {}): Promise<SourceTable> {
  catalog.restrictions = restrictions;
  return openTable(remote, { allowedRoots: [folder], ...options });
}

const plain = (row: Row): PlainRow => {
  const entries = RESTRICTED_SCHEMA.fields.map(({ name, type }) => {
    return [name, valueToJson(type, row[name] ?? null)];
  });
  return Object.fromEntries(entries) as PlainRow;
};

async function scanned(table: SourceTable, where?: string) {
  const rows: { readonly row: PlainRow; readonly locator: Locator }[] = [];
  for await (const batch of table.scan({ columns, where })) {
    for (let i = 0; i < batch.rows; i++) {
      const values = batch.columns.map((column) => valueAt(column, i));
      const row = plain(Object.fromEntries(columns.map((name, c) => [name, values[c]])));
      rows.push({ row, locator: { file: batch.file, position: batch.positions[i] } });
    }
  }
  return rows.sort((a, b) => a.row.id - b.row.id);
}

const seenOf = (rows: readonly PlainRow[], { seen }: KnownRestrictions): PlainRow[] =>
  rows
    .map(seen)
    .filter((row) => row !== null)
    .sort((a, b) => a.id - b.id);

describe('reads under read restrictions', () => {
  it(`show the rows that pass, masked, in ${CASES} random cases`, async () => {
    const free = await open(undefined);
    const all = await scanned(free);
    expect(all.map(({ row }) => row)).toEqual([...later].sort((a, b) => a.id - b.id));
    for (let i = 0; i < CASES; i++) {
      const known = randomRestrictions(below);
      const table = await open(known.json, { engine: i % 2 === 0 ? 'auto' : 'own' });
      const expected = seenOf(later, known);
      const told = JSON.stringify(known.json);
      expect(
        (await scanned(table)).map(({ row }) => row),
        told,
      ).toEqual(expected);
      const locators = all.map(({ locator }) => locator);
      const found = await table.lookup(locators, columns);
      expect(
        found.flatMap((row) => (row === null ? [] : [plain(row)])),
        told,
      ).toEqual(expected);
      const keys = later.map(({ id }) => [BigInt(id)]);
      const byKey = await table.lookupKeys(['id'], keys, columns);
      expect(
        seenOf(
          byKey.flatMap((one) => (one === null ? [] : [plain(one.row)])),
          FREE,
        ),
      ).toEqual(expected);
      await expectChanges(table, known);
      await table.close();
    }
    await free.close();
  });

  it('compare conditions of the caller with masked values alone', async () => {
    const masks = [
      { 'field-id': 4, action: 'mask-to-fixed-value' },
      { 'field-id': 3, action: 'mask-alphanum' },
    ];
    const table = await open({ 'required-column-projections': masks });
    expect(await scanned(table, 'age = 18')).toEqual([]);
    expect(await scanned(table, "city = 'Oslo'")).toEqual([]);
    expect((await scanned(table, 'age = 0')).length).toBe(later.length);
    await table.close();
  });

  it('find rows by a masked key', async () => {
    const action = 'sha-256-global';
    const table = await open({ 'required-column-projections': [{ 'field-id': 2, action }] });
    const [{ row }] = (await scanned(table)).filter((one) => one.row.name !== null);
    const found = await table.lookupKeys(['name'], [[row.name], ['Ada 12']], columns);
    expect(found[0]?.row.name).toBe(row.name);
    expect(found[1]).toBeNull();
    await table.close();
  });
});

const FREE: KnownRestrictions = { json: {}, seen: (row) => row };

async function expectChanges(table: SourceTable, known: KnownRestrictions): Promise<void> {
  const from = table.ancestry(table.currentSnapshotId as bigint).at(-1)?.id ?? null;
  const rows = new Map(seenOf(first, known).map((row) => [row.id, row]));
  const others = columns.filter((name) => name !== 'id');
  const to = table.currentSnapshotId as bigint;
  for await (const change of table.rowChanges({ from, to, key: ['id'], columns: others })) {
    const id = Number(change.key.id);
    expect(rows.has(id)).toBe(change.op !== 'insert');
    if (change.op !== 'insert') expect(plain(change.before)).toEqual(rows.get(id));
    if (change.op === 'delete') rows.delete(id);
    else rows.set(id, plain(change.after));
  }
  expect([...rows.values()].sort((a, b) => a.id - b.id)).toEqual(seenOf(later, known));
}

describe('restrictions that cannot be applied', () => {
  const eq = (left: unknown, right: unknown) => ({
    'required-row-filter': { type: 'eq', left, right },
  });
  const id = { type: 'reference', id: 1 };
  const apply = { type: 'apply', function: 'f', arguments: [id] };
  const transform = { type: 'transform', transform: 'bucket[4]', term: 'id' };
  it.each<readonly [string, unknown, RegExp]>([
    ['a function', eq(apply, 1), /"apply"/],
    [
      'a transform',
      { 'required-row-filter': { type: 'eq', term: transform, value: 1 } },
      /transform/,
    ],
    ['an unknown predicate', { 'required-row-filter': { type: 'like', child: id } }, /"like"/],
    ['a column that is not there', eq({ type: 'reference', id: 99 }, 1), /has not/],
    ['null', eq(id, null), /null/],
    ['NaN', eq({ type: 'reference', id: 5 }, 'NaN'), /expected a number/],
    ['another type', eq(id, { type: 'literal', value: 1, 'data-type': 'double' }), /double/],
    ['two columns of two types', eq(id, { type: 'reference', id: 2 }), /string/],
    ['an unknown part', { 'required-udf': {} }, /required-udf/],
    [
      'two actions',
      {
        'required-column-projections': [
          { 'field-id': 2, action: 'mask-alphanum' },
          { 'field-id': 2, action: 'show-last-4' },
        ],
      },
      /two actions/,
    ],
  ])('%s: the table is not opened', async (_what, restrictions, words) => {
    await expect(open(restrictions)).rejects.toThrow(words);
  });

  it.each<readonly [string, number, RegExp]>([
    ['apply-expression', 2, /unknown action "apply-expression" of column "name"/],
    ['future-mask', 2, /future-mask/],
    ['sha-256-query-local', 2, /in each query/],
    ['mask-alphanum', 4, /column "age" of type int/],
    ['truncate-to-year', 2, /column "name" of type string/],
    ['sha-256-global', 5, /double/],
    ['replace-with-null', 1, /required column "id"/],
  ])('%s: its column is not read, others are', async (action, field, words) => {
    const table = await open({ 'required-column-projections': [{ 'field-id': field, action }] });
    await expect(scanned(table)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(words),
    });
    const other = columns[field === 1 ? 1 : 0];
    let rows = 0;
    for await (const batch of table.scan({ columns: [other] })) rows += batch.rows;
    expect(rows).toBe(later.length);
    await table.close();
  });

  it('opens a table whose restrictions are empty as one without', async () => {
    for (const empty of [{}, { 'required-row-filter': true }, { 'required-row-filter': null }]) {
      const table = await open(empty);
      expect(table.restrictions).toBeUndefined();
      await table.close();
    }
  });
});

describe('a table whose restrictions change', () => {
  it('is another version of the table, though its metadata is the same', async () => {
    const table = await open(undefined);
    expect(await table.refresh()).toBe(table);
    catalog.restrictions = { 'required-row-filter': false };
    const closed = await table.refresh();
    expect(await scanned(closed)).toEqual([]);
    expect(await closed.refresh()).toBe(closed);
    catalog.restrictions = undefined;
    expect((await scanned(await closed.refresh())).length).toBe(later.length);
    await closed.close();
  });
});
