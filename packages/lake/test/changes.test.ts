// @module-tag campaign
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { loadTable } from '../src/catalog/load-table.ts';
import { fileSet } from '../src/plan/file-set.ts';
import { positionSet } from '../src/puffin/position-set.ts';
import { canonicalText } from '../src/scan/canonical-text.ts';
import { DeadRows } from '../src/scan/deletes.ts';
import { readContext } from '../src/scan/read-context.ts';
import { scanParts } from '../src/scan/scan.ts';
import { valueAt } from '../src/scan/vectors.ts';
import type { Field } from '../src/schema/type.ts';
import type { Row, SourceTable } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';
import { hasShared, ICEBERG, truthOf } from './truth-form.ts';

/**
 * Changes between any two snapshots, forwards, backwards and across branches, against an oracle
 * that reads both snapshots as a whole and compares them.
 */
const TABLES = [
  'all_deleted',
  'drafts_branches',
  'events_variant_shredded',
  'inbox_eq',
  'inbox_eq_part',
  'journal_dv',
  'journal_dv_compacted',
  'logs_partevo',
  'members_default',
  'people_evolved',
  'py_notes',
  'reviews_mor_part',
  'rowgroups_small',
  'tickets_cow',
  'upgraded_v2_v3',
];
/** All ordered pairs of a table are too many; these many are spread over them. */
const PAIRS_PER_TABLE = byEffort(5, 16);
const counted = { pairs: 0, changes: 0 };

const open = (name: string) =>
  openTable({ path: `${ICEBERG}${name}/${truthOf(name).metadata_file}` });

async function first<T>(items: AsyncIterable<T>): Promise<T | null> {
  for await (const item of items) return item;
  return null;
}

/** Rows of a snapshot under the current schema: text of the row by text of the key. */
async function wholeSnapshot(
  table: SourceTable,
  snapshotId: bigint | null,
  key: readonly string[],
): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  if (snapshotId === null) return rows;
  const { fields } = table.schema;
  const keyAt = key.map((name) => fields.findIndex((field) => field.name === name));
  for await (const batch of table.scan({ snapshotId })) {
    for (let row = 0; row < batch.rows; row++) {
      const texts = fields.map((f, i) => canonicalText(f.type, valueAt(batch.columns[i], row)));
      const keyText = JSON.stringify(keyAt.map((i) => texts[i]));
      expect(rows.has(keyText)).toBe(false);
      rows.set(keyText, JSON.stringify(texts));
    }
  }
  return rows;
}

type Snapshots = Map<bigint | null, Map<string, string>>;

function expectedChanges(before: Map<string, string>, after: Map<string, string>): string[] {
  const lines: string[] = [];
  for (const [key, text] of before) {
    if (!after.has(key)) lines.push(`delete ${key} ${text}`);
  }
  for (const [key, text] of after) {
    const old = before.get(key);
    if (old === undefined) lines.push(`insert ${key} ${text}`);
    else if (old !== text) lines.push(`update ${key} ${old} ${text}`);
  }
  return lines.sort();
}

async function foundChanges(
  table: SourceTable,
  from: bigint | null,
  to: bigint,
  key: readonly string[],
): Promise<string[]> {
  const { fields } = table.schema;
  const textOf = (row: Row, wanted: readonly Field[]) =>
    JSON.stringify(wanted.map(({ name, type }) => canonicalText(type, row[name])));
  const keyFields = key.map((name) => fields.find((field) => field.name === name)!);
  const columns = fields.map((field) => field.name);
  const lines: string[] = [];
  for await (const change of table.rowChanges({ from, to, key, columns })) {
    const rows = [
      ...(change.op === 'insert' ? [] : [change.before]),
      ...(change.op === 'delete' ? [] : [change.after]),
    ];
    const texts = rows.map((row) => textOf(row, fields));
    lines.push(`${change.op} ${textOf(change.key, keyFields)} ${texts.join(' ')}`);
  }
  counted.changes += lines.length;
  return lines.sort();
}

describe.skipIf(!hasShared)('changes between snapshots', () => {
  it.each(TABLES)('of %s between any two snapshots are the difference of the two', async (name) => {
    const table = await open(name);
    const key = truthOf(name).identifier_columns;
    const ids = table.snapshots.map((snapshot) => snapshot.id);
    const pairs = [null, ...ids].flatMap((from) => ids.map((to) => [from, to] as const));
    const step = Math.max(1, Math.floor(pairs.length / PAIRS_PER_TABLE));
    const snapshots: Snapshots = new Map();
    const rowsAt = async (id: bigint | null) => {
      const known = snapshots.get(id) ?? (await wholeSnapshot(table, id, key));
      snapshots.set(id, known);
      return known;
    };
    for (let i = 0; i < pairs.length; i += step) {
      const [from, to] = pairs[i];
      const expected = expectedChanges(await rowsAt(from), await rowsAt(to));
      expect(await foundChanges(table, from, to, key)).toEqual(expected);
      counted.pairs++;
    }
  });

  it('over compactions alone read no data file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lake-changes-'));
    cpSync(`${ICEBERG}reviews_mor/metadata`, join(folder, 'metadata'), { recursive: true });
    const file = truthOf('reviews_mor').metadata_file;
    const table = await openTable({ path: join(folder, file) });
    let replaced = 0;
    for (const snapshot of table.snapshots) {
      if (snapshot.operation !== 'replace' || snapshot.parentId === null) continue;
      const pair = { from: snapshot.parentId, to: snapshot.id, key: ['id'], columns: ['title'] };
      for await (const change of table.rowChanges(pair)) throw new Error(change.op);
      const appended = first(table.rowChanges({ ...pair, from: null }));
      await expect(appended).rejects.toMatchObject({ reason: expect.stringMatching(/_missing$/) });
      replaced++;
    }
    expect(replaced).toBeGreaterThan(1);
    rmSync(folder, { recursive: true });
  });

  it('with a key that is not unique name the key and both places', async () => {
    const table = await open('reviews_mor');
    const ids = table.snapshots.map((snapshot) => snapshot.id);
    const rows = table.rowChanges({
      from: null,
      to: ids[1],
      key: ['product'],
      columns: ['title'],
    });
    await expect(first(rows)).rejects.toMatchObject({
      reason: 'duplicate_key',
      message: expect.stringMatching(/key product=.* at row \d+ and in .* at row \d+/),
    });
  });

  it('with a null key name the place', async () => {
    const table = await open('inbox_eq');
    const to = table.snapshots[0].id;
    const options = { from: null, to, key: ['folder'], columns: ['subject'] };
    await expect(first(table.rowChanges(options))).rejects.toMatchObject({
      reason: 'null_key',
      message: expect.stringMatching(/"folder" is null in .*\.parquet" at row \d+/),
    });
    await expect(first(table.rowChanges({ ...options, key: ['no'] }))).rejects.toMatchObject({
      reason: 'column_not_found',
    });
  });
});

describe.skipIf(!hasShared)('a scan of a snapshot', () => {
  it('stops early without reading on', async () => {
    const table = await open('rowgroups_small');
    let rows = 0;
    for await (const batch of table.scan({ batchRows: 10 })) {
      expect(batch.rows).toBeLessThanOrEqual(10);
      rows += batch.rows;
      if (rows >= 25) break;
    }
    expect(rows).toBe(30);
  });

  it('ends when it is aborted', async () => {
    const table = await open('rowgroups_small');
    const abort = new AbortController();
    const read = async () => {
      for await (const _ of table.scan({ batchRows: 10, signal: abort.signal })) abort.abort();
    };
    await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('reads few rows of a large file by points, to the same values', async () => {
    const truth = truthOf('git.commits');
    const path = `${ICEBERG}git.commits/${truth.metadata_file}`;
    const handle = await loadTable({ path });
    const context = readContext(handle);
    const [scan] = (await fileSet(handle, handle.metadata.currentSnapshotId)).files;
    const { fields } = handle.metadata.schema;
    const read = async (positions: readonly number[]) => {
      const rows = new Map<number, unknown[]>();
      const parts = [{ scan, only: positionSet(positions) }];
      for await (const batch of scanParts(context, new DeadRows(context), { parts, fields })) {
        for (let row = 0; row < batch.rows; row++) {
          const values = batch.columns.map((column) => valueAt(column, row));
          rows.set(batch.positions[row], values);
        }
      }
      return rows;
    };
    const whole = await read(Array.from({ length: 64 }, (_, i) => i * 601));
    expect(whole.size).toBeGreaterThan(50);
    for (const position of [...whole.keys()].slice(0, 3)) {
      expect((await read([position])).get(position)).toEqual(whole.get(position));
    }
  });

  it('meets a condition whoever reads the file', async () => {
    for (const [name, where, key] of [
      ['events_variant', "kind = 'scalar' AND event_id > 1003", 'event_id'],
      ['formats_avro', "words > 5 AND subject LIKE '%a%'", 'sha'],
      ['people_evolved', 'len(phones) > 0 AND person_id < 20', 'person_id'],
    ] as const) {
      const table = await open(name);
      const found: unknown[] = [];
      for await (const batch of table.scan({ columns: [key], where })) {
        for (let row = 0; row < batch.rows; row++) found.push(valueAt(batch.columns[0], row));
      }
      expect(found.length, name).toBeGreaterThan(0);
      const all: unknown[] = [];
      for await (const batch of table.scan()) {
        const at = (column: string) => {
          const index = table.schema.fields.findIndex((field) => field.name === column);
          return index < 0 ? null : batch.columns[index];
        };
        for (let row = 0; row < batch.rows; row++) {
          const get = (column: string) => valueAt(at(column)!, row) as never;
          const meets =
            name === 'events_variant'
              ? get('kind') === 'scalar' && (get('event_id') as bigint) > 1003n
              : name === 'formats_avro'
                ? (get('words') as number) > 5 && (get('subject') as string).includes('a')
                : ((get('phones') ?? []) as string[]).length > 0 &&
                  (get('person_id') as bigint) < 20n;
          if (meets) all.push(get(key));
        }
      }
      expect(found, name).toEqual(all);
    }
  });
});

afterAll(() => {
  const { pairs, changes } = counted;
  console.log(`changes: ${pairs} pairs agree with whole scans (${changes} changes)`);
});
