/** Compaction of small files, expiry by retention and refs, against the rows and files they leave. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { setProperties } from '../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../test/support/schema.ts';
import { valueAt } from '../src/scan/vectors.ts';
import { openTable } from '../src/table.ts';
import { expireTableSnapshots } from '../src/write/commit/expire-snapshots.ts';
import { pointTableRef, removeTableRef } from '../src/write/commit/table-refs.ts';
import { compactTableFiles } from '../src/write/rows/compact-table.ts';
import { appendToTable, deleteFromTable, writeTable } from '../src/write/table-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-upkeep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: folder } as const;
const schema = schemaOf({ id: 'long', team: 'string', text: 'string' });
const BY_TEAM = {
  specId: 0,
  fields: [
    { sourceIds: [2], fieldId: 1000, name: 'team', transform: { kind: 'identity' as const } },
  ],
};

let made = 0;
async function newTable(formatVersion: 2 | 3, spec?: typeof BY_TEAM) {
  const config = { catalog, table: `u.t${++made}` };
  await writeTable(catalog, config.table, { schema, formatVersion, ...(spec && { spec }) });
  return config;
}
type Config = Awaited<ReturnType<typeof newTable>>;

const append = async (config: Config, from: number, count: number, words = 1) => {
  const rows = Array.from({ length: count }, (_, i) => {
    const id = from + i;
    const text = Array.from({ length: words }, (_word, w) => (id * 7919 + w * 104_729) % 9973);
    return { id, team: ['a', 'b'][id % 2], text: text.join(' ') };
  });
  return (await appendToTable(config, { kind: 'rows', rows })).snapshot!;
};

async function look(config: Config, snapshot?: string) {
  const snapshotId = snapshot === undefined ? undefined : BigInt(snapshot);
  const table = await openTable(config);
  const ids: number[] = [];
  for await (const batch of table.scan({ snapshotId, columns: ['id'] })) {
    for (let i = 0; i < batch.rows; i++) ids.push(Number(valueAt(batch.columns[0]!, i)));
  }
  const { files } = await table.files(snapshotId ?? table.currentSnapshotId);
  const { snapshots, refs } = table;
  await table.close();
  return {
    ids: ids.sort((a, b) => a - b),
    files,
    snapshots: snapshots.map((s) => String(s.id)),
    refs,
  };
}
const dataFiles = ({ table }: Config): string[] =>
  readdirSync(join(folder, ...table.split('.'), 'data'), { recursive: true })
    .map(String)
    .filter((name) => /\.(parquet|puffin)$/.test(name));

describe('the compaction of a table', () => {
  it.each([2, 3] as const)('joins small files and applies their deletes (format %i)', async (v) => {
    const config = await newTable(v);
    for (const from of [0, 100, 200]) await append(config, from, 100);
    await deleteFromTable(config, 'id IN (1, 150, 299)');
    const before = await look(config);
    const plan = await compactTableFiles(config, { dryRun: true });
    expect(plan).toMatchObject({ snapshot: null, filesBefore: 3, rewritten: 3, filesAfter: 1 });
    expect((await look(config)).snapshots).toEqual(before.snapshots);
    const done = await compactTableFiles(config);
    expect(done).toMatchObject({ rewritten: 3, filesAfter: 1, rows: 297 });
    const after = await look(config);
    expect(after.ids).toEqual(before.ids);
    expect(after.files.map(({ deletes }) => deletes.length)).toEqual([0]);
    expect((await look(config, before.snapshots.at(-1))).ids).toEqual(before.ids);
    expect(await compactTableFiles(config)).toMatchObject({ snapshot: null, rewritten: 0 });
  });

  it.each([2, 3] as const)('leaves large files, with their deletes (format %i)', async (v) => {
    const config = await newTable(v);
    await append(config, 0, 2000, 20);
    for (const from of [5000, 5010]) await append(config, from, 10);
    await deleteFromTable(config, 'id = 7 OR id = 5003');
    const before = await look(config);
    const large = Math.max(...before.files.map(({ data }) => data.fileSize));
    const done = await compactTableFiles(config, { targetBytes: large });
    expect(done).toMatchObject({ filesBefore: 3, rewritten: 2, filesAfter: 2, rows: 19 });
    const after = await look(config);
    expect(after.ids).toEqual(before.ids);
    expect(
      after.files.map(({ data, deletes }) => [data.recordCount, deletes.length]).sort(),
    ).toEqual([
      [19, 0],
      [2000, 1],
    ]);
    await deleteFromTable(config, 'id < 300');
    expect(await compactTableFiles(config, { targetBytes: large })).toMatchObject({ rewritten: 1 });
    expect((await look(config)).ids).toEqual(after.ids.filter((id) => id >= 300));
  });

  it('keeps partitions apart, and rewrites all files if told to', async () => {
    const config = await newTable(2, BY_TEAM);
    for (const from of [0, 50, 100]) await append(config, from, 50);
    const before = await look(config);
    expect(await compactTableFiles(config)).toMatchObject({ filesBefore: 6, filesAfter: 2 });
    expect((await look(config)).ids).toEqual(before.ids);
    expect(await compactTableFiles(config, { all: true })).toMatchObject({ rewritten: 2 });
    expect((await look(config)).ids).toEqual(before.ids);
  });

  it('leaves no file behind if it is stopped', async () => {
    const config = await newTable(2, BY_TEAM);
    for (const from of [0, 50]) await append(config, from, 50);
    const before = dataFiles(config).sort();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(compactTableFiles(config, { signal })).rejects.toThrow('stopped');
    expect(dataFiles(config).sort()).toEqual(before);
  });
});

describe('the expiry of snapshots', () => {
  it('keeps the newest ones, those that refs name, and files that any of them needs', async () => {
    const config = await newTable(3);
    const ids: string[] = [];
    for (const from of [0, 10, 20, 30, 40]) ids.push(await append(config, from, 10));
    await pointTableRef(config, 'audit', { kind: 'tag', snapshot: ids[1] });
    await compactTableFiles(config);
    const foreign = join(folder, ...config.table.split('.'), 'data', 'foreign.parquet');
    writeFileSync(foreign, 'not of a snapshot');
    const plan = await expireTableSnapshots(config, { keep: 2, dryRun: true });
    const stored = dataFiles(config).length;
    expect(plan).toMatchObject({ expired: [ids[0], ids[2], ids[3]], refs: [], kept: 3 });
    expect((await look(config)).snapshots).toHaveLength(6);
    expect(dataFiles(config)).toHaveLength(stored);
    const done = await expireTableSnapshots(config, { keep: 2 });
    expect(done).toEqual({ ...plan, left: [] });
    const after = await look(config);
    expect(after.snapshots).toHaveLength(3);
    expect(after.ids).toHaveLength(50);
    expect((await look(config, ids[1])).ids).toHaveLength(20);
    expect((await look(config, ids[4])).ids).toHaveLength(50);
    expect(existsSync(foreign)).toBe(true);
    await removeTableRef(config, 'audit');
    await expireTableSnapshots(config, {});
    expect((await look(config)).snapshots).toHaveLength(1);
    expect(dataFiles(config)).toHaveLength(2);
    expect((await look(config)).ids).toHaveLength(50);
  });

  it('heeds the retention of branches and tags', async () => {
    const config = await newTable(2);
    const ids: string[] = [];
    for (const from of [0, 10, 20, 30]) ids.push(await append(config, from, 10));
    const retention = { minSnapshots: 3 };
    await pointTableRef(config, 'work', { kind: 'branch', snapshot: ids[2], retention });
    const short = { kind: 'tag', snapshot: ids[3], retention: { maxRefAgeMs: 1 } } as const;
    await pointTableRef(config, 'short', short);
    const made = Date.now() + 1;
    await expect.poll(() => Date.now() > made).toBe(true);
    const done = await expireTableSnapshots(config, { keep: 1 });
    expect(done).toMatchObject({ expired: [], refs: ['short'], kept: 4 });
    expect((await look(config)).refs.map(({ name }) => name)).toEqual(['main', 'work']);
    await pointTableRef(config, 'work', {
      ...{ kind: 'branch', snapshot: ids[2], replace: true },
      retention: { minSnapshots: 1 },
    });
    expect((await expireTableSnapshots(config, {})).expired).toEqual([ids[0], ids[1]]);
  });

  it('keeps what is young enough, and everything where the table says so', async () => {
    const config = await newTable(2);
    await append(config, 0, 10);
    const before = Date.now();
    await append(config, 10, 10);
    expect((await expireTableSnapshots(config, { olderThanMs: before - 60_000 })).kept).toBe(2);
    await setProperties(config, { 'gc.enabled': 'false' });
    await expect(expireTableSnapshots(config, {})).rejects.toThrow('gc.enabled=false');
  });
});

describe('a branch or tag', () => {
  it('is made at the current snapshot, and not moved by accident', async () => {
    const config = await newTable(2);
    const first = await append(config, 0, 10);
    expect(await pointTableRef(config, 'now', { kind: 'tag' })).toBe(first);
    await append(config, 10, 10);
    await expect(pointTableRef(config, 'now', { kind: 'tag' })).rejects.toThrow(
      'has the tag "now" already',
    );
    const branch = { kind: 'branch', replace: true } as const;
    await expect(pointTableRef(config, 'now', branch)).rejects.toThrow('has the tag "now" already');
    await expect(pointTableRef(config, 'x', { kind: 'tag', snapshot: '1' })).rejects.toMatchObject({
      reason: 'snapshot_not_found',
    });
    await expect(removeTableRef(config, 'main')).rejects.toThrow(
      'no branch or tag "main" to remove',
    );
  });
});
