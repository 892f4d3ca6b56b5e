// @module-tag campaign
// @module-tag slow
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth } from '../../../test/support/effort.ts';
import type { ParquetEngine } from '../src/scan/file-rows.ts';
import { valueAt } from '../src/scan/vectors.ts';
import type { Field, Schema, Value } from '../src/schema/type.ts';
import type { RowChange, SourceTable } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';
import {
  Digest,
  exact,
  exactRow,
  hasShared,
  ICEBERG,
  type Json,
  type JsonRow,
  keyHash,
  type Truth,
  type TruthChanges,
  type TruthSnapshot,
  truthOf,
  truthTables,
  truthValue,
} from './truth-form.ts';

/**
 * Every table of ../shared/iceberg, written by other people's writers, against its truth: the rows
 * of every snapshot and the net changes of every pair, through DuckDB where it is exact and
 * through our own Parquet reader alone.
 */
const counted = {
  tables: 0,
  snapshots: 0,
  rows: 0,
  pairs: 0,
  changes: 0,
  lineage: 0,
  refused: [] as string[],
};

/** The one thing that may be refused, by name: data files in ORC. */
const ORC_TABLES = new Set(['formats_mixed']);
/**
 * Eleven snapshots of up to 440,000 rows. Our own reader reads the current one only. Long runs read
 * all of them through DuckDB; others read the newest one and compare the changes to it.
 */
const LARGE_TABLES = new Set(['git.commits']);

async function open(table: string, truth: Truth, engine: ParquetEngine): Promise<SourceTable> {
  return openTable({ path: `${ICEBERG}${table}/${truth.metadata_file}` }, { engine });
}

function rowText(fields: readonly Field[], values: readonly Value[]): string {
  return exact(Object.fromEntries(fields.map((f, i) => [f.name, truthValue(f.type, values[i])])));
}

async function checkSnapshot(
  table: SourceTable,
  truth: Truth,
  snapshot: TruthSnapshot,
  schema: Schema,
  expected: TruthSnapshot['rows'],
): Promise<void> {
  const digest = new Digest(schema);
  const texts: string[] = [];
  const keys: string[] = [];
  const keyAt = truth.identifier_columns.map((n) => schema.fields.findIndex((f) => f.name === n));
  const samples = new Map(
    snapshot.sample_rows?.map((row) => [
      keyJson(truth.identifier_columns.map((n) => row[n])),
      exactRow(row, schema.fields),
    ]),
  );
  const snapshotId = BigInt(snapshot.snapshot_id);
  for await (const batch of table.scan({ snapshotId, schema })) {
    digest.add(batch);
    for (let row = 0; row < batch.rows; row++) {
      const at = (i: number) => truthValue(schema.fields[i].type, valueAt(batch.columns[i], row));
      const key = keyJson(keyAt.map(at));
      keys.push(key);
      const sample = samples.get(key);
      if (expected === undefined && sample === undefined) continue;
      const text = exact(Object.fromEntries(schema.fields.map((f, i) => [f.name, at(i)])));
      if (expected !== undefined) texts.push(text);
      if (sample === text) samples.delete(key);
    }
  }
  counted.rows += digest.count;
  expect(digest.count).toBe(snapshot.row_count);
  expect([...samples.values()]).toEqual([]);
  if (expected !== undefined) {
    expect(texts.sort()).toEqual(expected.map((row) => exactRow(row, schema.fields)).sort());
  }
  if (snapshot.digest === undefined) return;
  expect(digest.differences(snapshot.digest)).toEqual([]);
  if (keyAt.length > 0 && snapshot.digest.key_sha256) {
    expect(keyHash(keys)).toBe(snapshot.digest.key_sha256);
  }
}

const keyJson = (key: readonly Json[]): string => JSON.stringify(key);

async function checkSnapshots(table: SourceTable, truth: Truth, only?: bigint): Promise<void> {
  for (const snapshot of chosenOf(truth)) {
    const id = BigInt(snapshot.snapshot_id);
    if (only !== undefined && id !== only) continue;
    await checkSnapshot(table, truth, snapshot, table.schemaOf(id), snapshot.rows);
    if (snapshot.rows_current_schema !== undefined) {
      const plain = { ...snapshot, digest: undefined, sample_rows: undefined };
      await checkSnapshot(table, truth, plain, table.schema, snapshot.rows_current_schema);
    }
    counted.snapshots++;
  }
}

/** Snapshots of a table that are read, the newest among them: in campaigns all of a small one. */
function chosenOf({ table, snapshots }: Truth): readonly TruthSnapshot[] {
  const few = LARGE_TABLES.has(table) ? snapshots.length : 6;
  const step = byEffort(few, LARGE_TABLES.has(table) ? few : 1, 1);
  return everyNth(snapshots.toReversed(), step);
}

/** Pairs of snapshots whose changes are compared. */
function pairsOf(truth: Truth): readonly TruthChanges[] {
  const ends = new Set(chosenOf(truth).map(({ snapshot_id }) => snapshot_id));
  return truth.changelog.filter(({ to }) => ends.has(to));
}

async function checkPair(table: SourceTable, truth: Truth, pair: TruthChanges): Promise<void> {
  const { fields } = table.schema;
  const found: Record<RowChange['op'], RowChange[]> = { insert: [], update: [], delete: [] };
  const changes = table.rowChanges({
    from: BigInt(pair.from),
    to: BigInt(pair.to),
    key: truth.identifier_columns,
    columns: fields.map((field) => field.name),
  });
  for await (const change of changes) found[change.op].push(change);
  const { insert, update, delete: gone } = found;
  counted.changes += insert.length + update.length + gone.length;
  expect({ inserts: insert.length, deletes: gone.length, updates: update.length }).toEqual(
    pair.counts,
  );
  const text = (change: RowChange, side: 'before' | 'after') => {
    const row = (change as unknown as Record<string, Record<string, Value>>)[side];
    return rowText(
      fields,
      fields.map((field) => row[field.name]),
    );
  };
  const expectRows = (found: string[], rows: readonly string[] | undefined) => {
    if (rows !== undefined) expect(found.sort()).toEqual([...rows].sort());
  };
  const truthText = (row: Parameters<typeof exactRow>[0]) => exactRow(row, fields);
  expectRows(
    insert.map((c) => text(c, 'after')),
    pair.inserts?.map(truthText),
  );
  expectRows(
    gone.map((c) => text(c, 'before')),
    pair.deletes?.map(truthText),
  );
  expectRows(
    update.map((c) => `${text(c, 'before')} -> ${text(c, 'after')}`),
    pair.updates?.map((u) => `${truthText(u.before)} -> ${truthText(u.after)}`),
  );
  checkKeys(fields, pair, found);
}

function checkKeys(
  fields: readonly Field[],
  pair: TruthChanges,
  found: Record<RowChange['op'], RowChange[]>,
): void {
  const keyOf = (change: RowChange) =>
    keyJson(
      Object.entries(change.key).map(([name, value]) => {
        const field = fields.find((f) => f.name === name) as Field;
        return truthValue(field.type, value);
      }),
    );
  for (const [op, listed, name] of [
    ['insert', pair.insert_keys, 'inserts'],
    ['update', pair.update_keys, 'updates'],
    ['delete', pair.delete_keys, 'deletes'],
  ] as const) {
    const keys = found[op].map(keyOf);
    if (listed !== undefined) {
      expect([...keys].sort()).toEqual(listed.map((key) => JSON.stringify(key)).sort());
    }
    if (pair.key_sha256 !== undefined) expect(keyHash(keys)).toBe(pair.key_sha256[name]);
  }
}

describe('the shared Iceberg tables', () => {
  it.skipIf(!hasShared)('are all covered, 36 of ../shared/iceberg', () => {
    expect(truthTables()).toHaveLength(36);
  });
});

describe.skipIf(!hasShared).each(hasShared ? truthTables() : [])('shared table %s', (name) => {
  const truth = truthOf(name);

  it('has the rows of every snapshot', async () => {
    const table = await open(name, truth, 'duckdb');
    counted.tables++;
    if (ORC_TABLES.has(name)) await expectOrcRefused(table, truth);
    else await checkSnapshots(table, truth);
    await table.close();
  });

  it('has them through our own Parquet reader too', async () => {
    if (ORC_TABLES.has(name)) return;
    const table = await open(name, truth, 'own');
    const only = LARGE_TABLES.has(name) ? (table.currentSnapshotId ?? undefined) : undefined;
    await checkSnapshots(table, truth, only);
    await table.close();
  });

  it.skipIf(!hasLineage(truth))('has the row lineage that Spark reads', async () => {
    const table = await open(name, truth, 'auto');
    for (const snapshot of chosenOf(truth)) {
      const expected = snapshot.rows ?? snapshot.sample_rows ?? [];
      const texts = await lineageTexts(table, truth, BigInt(snapshot.snapshot_id));
      for (const row of expected) expect(texts).toContain(exact(lineageOf(row, truth)));
    }
  });

  it('has the net changes of every pair', async () => {
    const table = await open(name, truth, 'auto');
    for (const pair of pairsOf(truth)) {
      const changes = () => checkPair(table, truth, pair);
      if (ORC_TABLES.has(name)) await changes().catch(expectOrc);
      else await changes();
      counted.pairs++;
    }
    await table.close();
  });
});

const LINEAGE = ['_row_id', '_last_updated_sequence_number'];

function hasLineage(truth: Truth): boolean {
  const rows = truth.snapshots.flatMap((s) => s.rows ?? s.sample_rows ?? []);
  return rows.some((row) => LINEAGE[0] in row);
}

function lineageOf(row: JsonRow, truth: Truth): JsonRow {
  const names = [...truth.identifier_columns, ...LINEAGE];
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

async function lineageTexts(table: SourceTable, truth: Truth, snapshotId: bigint) {
  const schema = table.schemaOf(snapshotId);
  const columns = [...truth.identifier_columns, ...LINEAGE];
  const texts = new Set<string>();
  for await (const batch of table.scan({ snapshotId, schema, columns })) {
    for (let row = 0; row < batch.rows; row++) {
      const pairs = columns.map((name, i): [string, Json] => {
        const type = schema.fields.find((f) => f.name === name)?.type ?? { kind: 'long' };
        return [name, truthValue(type, valueAt(batch.columns[i], row))];
      });
      texts.add(exact(Object.fromEntries(pairs)));
    }
  }
  counted.lineage += texts.size;
  return texts;
}

function expectOrc(error: unknown): void {
  expect(error).toMatchObject({ code: 'unsupported', message: expect.stringMatching(/ORC/) });
}

async function expectOrcRefused(table: SourceTable, truth: Truth): Promise<void> {
  for (const snapshot of truth.snapshots) {
    const schema = table.schemaOf(BigInt(snapshot.snapshot_id));
    const files = (await table.files(BigInt(snapshot.snapshot_id))).files;
    const check = checkSnapshot(table, truth, snapshot, schema, snapshot.rows);
    if (files.some(({ data }) => data.format === 'orc')) {
      await expect(check).rejects.toMatchObject({ code: 'unsupported' });
      counted.refused.push(snapshot.snapshot_id);
    } else await check;
  }
}

afterAll(() => {
  const { tables, snapshots, rows, pairs, changes, lineage, refused } = counted;
  console.log(
    `truth: ${tables} tables, ${snapshots} snapshot reads (${rows} rows), ${pairs} pairs ` +
      `(${changes} changes), ${lineage} row lineages agree; ${refused.length} snapshots ` +
      'with ORC files refused by name',
  );
});
