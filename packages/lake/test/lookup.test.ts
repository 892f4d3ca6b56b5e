// @module-tag campaign
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { seededBelow } from '../../../test/support/random.ts';
import type { FileScan } from '../src/metadata/file-set.ts';
import type { Locator } from '../src/scan/batch.ts';
import { valueAt } from '../src/scan/vectors.ts';
import type { Value } from '../src/schema/type.ts';
import type { Row, SourceTable } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';
import { exact, hasShared, ICEBERG, truthOf, truthTables, truthValue } from './truth-form.ts';

/**
 * Look-ups by locator and by key against scans, on every table of ../shared/iceberg: what the scan
 * shows at a position is what the look-up finds, and what the scan does not show is null. (The
 * scans themselves are checked against the truth in truth.test.ts.)
 */
const FILES = byEffort(3, 6);
const ROWS_PER_FILE = 8;
const counted = { tables: 0, snapshots: 0, rows: 0, dead: 0, keys: 0 };

const random = seededBelow(20261121);

function shuffled<T>(items: readonly T[]): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}

function columnsOf(table: SourceTable): readonly string[] {
  const names = table.schema.fields.map((field) => field.name);
  return table.formatVersion < 3 ? names : [...names, '_row_id', '_last_updated_sequence_number'];
}

function rowText(table: SourceTable, row: Row): string {
  const pairs = Object.entries(row).map(([name, value]) => {
    const type = table.schema.fields.find((field) => field.name === name)?.type;
    return [name, truthValue(type ?? { kind: 'long' }, value)] as const;
  });
  return exact(Object.fromEntries(pairs));
}

interface Seen {
  readonly live: ReadonlyMap<number, Row>;
  /** Whether the whole file was scanned. */
  readonly whole: boolean;
}

async function scanned(table: SourceTable, snapshotId: bigint, scan: FileScan): Promise<Seen> {
  const columns = columnsOf(table);
  const live = new Map<number, Row>();
  const files = new Set([scan.data.path]);
  for await (const batch of table.scan({ snapshotId, columns, files })) {
    for (let row = 0; row < batch.rows; row++) {
      const values = batch.columns.map((column) => valueAt(column, row));
      live.set(
        batch.positions[row],
        Object.fromEntries(columns.map((name, c) => [name, values[c]])),
      );
    }
    if (live.size > 20_000) return { live, whole: false };
  }
  return { live, whole: true };
}

/** Some live and some dead positions of a file, and one behind its end. */
function samples(scan: FileScan, seen: Seen): readonly number[] {
  const live = shuffled([...seen.live.keys()]).slice(0, ROWS_PER_FILE);
  if (!seen.whole) return live;
  const all = Array.from({ length: scan.data.recordCount }, (_, i) => i);
  const dead = shuffled(all.filter((position) => !seen.live.has(position))).slice(0, ROWS_PER_FILE);
  return [...live, ...dead, scan.data.recordCount];
}

async function checkSnapshot(
  table: SourceTable,
  snapshotId: bigint,
  key: readonly string[],
): Promise<void> {
  const { files } = await table.files(snapshotId);
  const expected: { locator: Locator; row: Row | null }[] = [];
  for (const scan of shuffled(files).slice(0, FILES)) {
    const seen = await scanned(table, snapshotId, scan);
    for (const position of samples(scan, seen)) {
      const row = seen.live.get(position) ?? null;
      expected.push({ locator: { file: scan.data.path, position }, row });
    }
  }
  const mixed = shuffled(expected);
  const found = await table.lookup(
    [...mixed.map(({ locator }) => locator), { file: 'file:/elsewhere.parquet', position: 0 }],
    columnsOf(table),
    { snapshotId },
  );
  mixed.forEach(({ locator, row }, i) => {
    const got = found[i];
    const where = `${table.name} ${snapshotId} ${locator.file} ${locator.position}`;
    expect(got && rowText(table, got), where).toBe(row && rowText(table, row));
    counted[row === null ? 'dead' : 'rows']++;
  });
  expect(found.at(-1)).toBeNull();
  if (key.length > 0) await checkKeys(table, snapshotId, key, mixed);
  counted.snapshots++;
}

/**
 * The texts of all rows with one of the keys; empty for the big table, which is not scanned for it.
 */
async function rowsByKey(
  table: SourceTable,
  snapshotId: bigint,
  key: readonly string[],
  wanted: ReadonlySet<string>,
  keyOf: (values: readonly Value[]) => string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  if (table.name.includes('commits')) return found;
  const columns = columnsOf(table);
  for await (const batch of table.scan({ snapshotId, columns })) {
    for (let i = 0; i < batch.rows; i++) {
      const values = batch.columns.map((column) => valueAt(column, i));
      const row: Row = Object.fromEntries(columns.map((name, c) => [name, values[c]]));
      const text = keyOf(key.map((name) => row[name]));
      if (!wanted.has(text)) continue;
      const rows = found.get(text) ?? new Set();
      found.set(text, rows.add(rowText(table, row)));
    }
  }
  return found;
}

async function checkKeys(
  table: SourceTable,
  snapshotId: bigint,
  key: readonly string[],
  sampled: readonly { locator: Locator; row: Row | null }[],
): Promise<void> {
  const wanted = sampled.flatMap(({ row }) => (row === null ? [] : [key.map((name) => row[name])]));
  const keyOf = (values: readonly Value[]) =>
    rowText(table, Object.fromEntries(key.map((name, i) => [name, values[i]])));
  // nothing makes keys unique: any row with the key is right, if it is the one at its locator
  const byKey = await rowsByKey(table, snapshotId, key, new Set(wanted.map(keyOf)), keyOf);
  const found = await table.lookupKeys(key, wanted, columnsOf(table), { snapshotId });
  const again = await table.lookup(
    found.map((one) => one!.locator),
    columnsOf(table),
    { snapshotId },
  );
  wanted.forEach((values, i) => {
    const text = rowText(table, found[i]!.row);
    const allowed = byKey.get(keyOf(values));
    if (allowed !== undefined) expect(allowed).toContain(text);
    expect(keyOf(key.map((name) => found[i]!.row[name]))).toBe(keyOf(values));
    expect(rowText(table, again[i]!)).toBe(text);
    counted.keys++;
  });
}

describe.skipIf(!hasShared)('look-ups', () => {
  it.each(hasShared ? truthTables() : [])(
    '%s: by locator and by key, as the scan shows',
    async (name) => {
      const truth = truthOf(name);
      const table = await openTable({ path: `${ICEBERG}${name}/${truth.metadata_file}` });
      const ids = table.snapshots.map(({ id }) => id);
      const current = table.currentSnapshotId;
      const chosen = new Set(
        name === 'git.commits' ? [current] : [current, ...shuffled(ids).slice(0, 2)],
      );
      for (const id of chosen) {
        if (id === null) continue;
        const { files } = await table.files(id);
        if (files.some(({ data }) => data.format === 'orc')) continue;
        const names = new Set(table.schema.fields.map((field) => field.name));
        const key = truth.identifier_columns.filter((column) => names.has(column));
        await checkSnapshot(table, id, key);
      }
      await table.close();
      counted.tables++;
    },
  );

  it('has looked at something of everything', () => {
    process.stdout.write(`look-ups that agree with scans: ${JSON.stringify(counted)}\n`);
    expect(counted.rows).toBeGreaterThan(byEffort(700, 1000));
    expect(counted.dead).toBeGreaterThan(100);
    expect(counted.keys).toBeGreaterThan(500);
  });

  it('refuses ORC by name, unknown columns, and keys of the wrong shape', async () => {
    const truth = truthOf('formats_mixed');
    const table = await openTable({ path: `${ICEBERG}formats_mixed/${truth.metadata_file}` });
    const { files } = await table.files(table.currentSnapshotId);
    const orc = files.find(({ data }) => data.format === 'orc')!;
    const locator = { file: orc.data.path, position: 0 };
    const [column] = columnsOf(table);
    await expect(table.lookup([locator], [column])).rejects.toThrow(/ORC/);
    await expect(table.lookup([], ['nothing'])).rejects.toThrow(/"nothing"/);
    await expect(table.lookupKeys([column], [[1, 2]], [column])).rejects.toThrow(/key 0/);
    await table.close();
  });

  it('counts bytes, and reads nothing twice', async () => {
    const truth = truthOf('rowgroups_small');
    const table = await openTable({ path: `${ICEBERG}rowgroups_small/${truth.metadata_file}` });
    const { files } = await table.files(table.currentSnapshotId);
    const largest = files.toSorted((a, b) => b.data.recordCount - a.data.recordCount)[0];
    const locator = { file: largest.data.path, position: largest.data.recordCount >> 1 };
    const cost = { bytes: 0, requests: 0 };
    await table.lookup([locator], columnsOf(table), { cost });
    expect(cost.bytes).toBeGreaterThan(0);
    expect(cost.bytes).toBeLessThan(largest.data.fileSize / 2);
    const second = { bytes: 0, requests: 0 };
    await table.lookup([locator], columnsOf(table), { cost: second });
    expect(second).toEqual({ bytes: 0, requests: 0 });
    await table.close();
  });

  it.each([
    'data_missing',
    'data_truncated',
    'data_empty',
    'data_page_corrupt',
    'data_footer_length',
    'record_count_wrong',
    'delete_missing',
  ])('malformed/%s: refuses with an error that names the file', async (name) => {
    const path = `${ICEBERG}malformed/${name}/metadata/v5.metadata.json`;
    const table = await openTable({ path });
    const { files } = await table.files(table.currentSnapshotId);
    const locators = files.flatMap(({ data }) =>
      Array.from({ length: data.recordCount }, (_, position) => ({ file: data.path, position })),
    );
    await expect(table.lookup(locators, columnsOf(table))).rejects.toMatchObject({
      reason: expect.stringMatching(/^(data|delete)_file_(missing|invalid)$/),
      file: expect.stringMatching(/\.parquet$/),
    });
    await table.close();
  });
});
