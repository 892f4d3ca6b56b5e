import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appendRows, createTable, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  cherryPick,
  compactTable,
  expireSnapshots,
  setRef,
} from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', text: 'string' });
const FIELDS = 'fields:\n  - { name: text, type: KEYWORD, cached: true }';

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
});
afterEach(() => lake.close());

const rows = (from: number, to: number, text: string) => ({
  kind: 'rows' as const,
  rows: Array.from({ length: to - from }, (_, i) => ({ id: from + i, text: `${text}${from + i}` })),
});
const append = (from: number, to: number, text = 'a') =>
  appendRows(lake.source, rows(from, to, text));
const upsert = (from: number, to: number, text: string) =>
  upsertRows(lake.source, rows(from, to, text), ['id']);

describe('a sync after the history of a table changed', () => {
  test('takes one exact step from an expired checkpoint', async () => {
    await append(0, 20);
    await lake.build(FIELDS);
    await upsert(5, 8, 'b');
    await deleteRows(lake.source, 'id in (1, 2)');
    await append(20, 24);
    await compactTable(lake.source);
    await expireSnapshots(lake.source, Date.now() + 1000);
    const counts = { inserted: 4, updated: 3, deleted: 2 };
    const healed = { reason: 'snapshot_expired', ...counts };
    expect(await lake.backend.sync({})).toMatchObject({ ...counts, healed });
    await lake.expectRebuilt();
    expect((await lake.backend.sync({})).healed).toBeUndefined();
  });

  test('follows main back to an older snapshot and forward again', async () => {
    await append(0, 10);
    const first = await lake.head();
    await append(10, 20);
    await deleteRows(lake.source, 'id < 4');
    const last = await lake.head();
    await lake.build(FIELDS);
    await setRef(lake.source, 'main', 'branch', first);
    const healed = { reason: 'rolled_back', inserted: 4, updated: 0, deleted: 10 };
    expect(await lake.backend.sync({})).toMatchObject({ snapshots_applied: 1, healed });
    await lake.expectRebuilt();
    await setRef(lake.source, 'main', 'branch', last);
    const forward = await lake.backend.sync({});
    expect(forward).toMatchObject({ snapshots_applied: 2, inserted: 10, deleted: 4 });
    expect(forward.healed).toBeUndefined();
    await lake.expectRebuilt();
    const back = await lake.backend.sync({ until: String(first) });
    expect(back).toMatchObject({ healed, snapshot: String(first) });
    await lake.expectRebuilt(first);
  });

  test('empties the index of a table without snapshots, then follows new ones', async () => {
    await append(0, 10);
    await lake.build(FIELDS);
    forgetSnapshots();
    const healed = { reason: 'rolled_back', inserted: 0, updated: 0, deleted: 10 };
    expect(await lake.backend.sync({})).toMatchObject({ healed, snapshot: null, doc_count: 0 });
    await append(3, 5);
    expect(await lake.backend.sync({})).toMatchObject({ inserted: 2, snapshots_applied: 1 });
    await lake.expectRebuilt();
  });

  test('follows another branch, a cherry-picked snapshot and an overwritten branch', async () => {
    await append(0, 10);
    const base = await lake.head();
    await setRef(lake.source, 'draft', 'branch', base);
    await lake.define(FIELDS, 'draft');
    await lake.backend.reindex({});
    await append(10, 12);
    const main = await lake.head();
    await setRef(lake.source, 'draft', 'branch', main);
    expect((await lake.backend.sync({})).healed).toBeUndefined();
    await setRef(lake.source, 'main', 'branch', base);
    await append(20, 25);
    await cherryPick(lake.source, main);
    const picked = await lake.head();
    await setRef(lake.source, 'draft', 'branch', picked);
    const healed = { reason: 'diverged', inserted: 5, updated: 0, deleted: 0 };
    expect(await lake.backend.sync({})).toMatchObject({ healed, doc_count: 17 });
    await lake.expectRebuilt();
  });

  test('takes one step to the head if files of a snapshot between are missing', async () => {
    await append(0, 10);
    await lake.build(FIELDS);
    const before = dataFiles();
    await append(10, 20);
    await upsert(12, 15, 'b');
    const gone = dataFiles().filter((path) => !before.includes(path));
    await compactTable(lake.source);
    for (const path of gone) rmSync(path);
    const healed = { reason: 'files_missing', inserted: 10, updated: 0, deleted: 0 };
    expect(await lake.backend.sync({})).toMatchObject({ healed, snapshots_applied: 1 });
    await lake.expectRebuilt();
    await append(30, 31);
    for (const path of dataFiles().filter((name) => !name.endsWith('.keep'))) rmSync(path);
    await expect(lake.backend.sync({})).rejects.toMatchObject({ code: 'source_invalid' });
    expect((await lake.documents()).size).toBe(20);
  });

  test('continues with the next head if files of a head are removed while it reads', async () => {
    await append(0, 10);
    await lake.build(FIELDS);
    await append(10, 12);
    await append(12, 14);
    let moved = false;
    const progress = ({ snapshot }: { snapshot?: string }) => {
      if (moved || snapshot === undefined) return;
      moved = true;
      const before = dataFiles();
      const script = fileURLToPath(new URL('./compact-and-expire-child.ts', import.meta.url));
      const args = [script, JSON.stringify(lake.source)];
      expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).status).toBe(0);
      expect(before.some((path) => !existsSync(path))).toBe(true);
    };
    const done = await lake.backend.sync({}, { progress });
    expect(done).toMatchObject({ doc_count: 14, snapshot: String(await lake.head()) });
    await lake.expectRebuilt();
  });

  test('takes one step to the head if manifests of a snapshot between are missing', async () => {
    await append(0, 10);
    await lake.build(FIELDS);
    const before = metadataFiles();
    await append(10, 12);
    const gone = metadataFiles().filter((path) => !before.includes(path) && path.endsWith('.avro'));
    await deleteRows(lake.source, 'id = 3');
    for (const path of gone.filter((name) => name.includes('snap-'))) rmSync(path);
    const healed = { reason: 'files_missing', inserted: 2, updated: 0, deleted: 1 };
    expect(await lake.backend.sync({})).toMatchObject({ healed });
    await lake.expectRebuilt();
  });

  test('takes one step to the head past a snapshot with two rows of one key', async () => {
    await append(0, 10);
    await lake.build(FIELDS);
    await append(9, 12);
    await expect(lake.backend.sync({})).rejects.toThrow('key id=9 stands in two rows');
    await deleteRows(lake.source, 'id = 9');
    await append(20, 21);
    const healed = { reason: 'snapshot_invalid', inserted: 3, updated: 0, deleted: 1 };
    expect(await lake.backend.sync({})).toMatchObject({ healed, snapshots_applied: 1 });
    await lake.expectRebuilt();
  });

  test('refuses another table of the same name and names both uuids', async () => {
    await append(0, 3);
    await lake.build(FIELDS);
    rmSync(join(lake.folder, 'lake'), { recursive: true });
    await createTable(lake.source.catalog, lake.source.table, { schema: SCHEMA });
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      code: 'source_changed',
      hint: 'a reindex builds the index of the new table',
      next: [{ step: 'reindex', index: 't' }],
    });
  });
});

/** Writes a table version without a snapshot, as a catalog does that rolls back the first one. */
function forgetSnapshots(): void {
  const folder = join(lake.folder, 'lake', 'a', 't', 'metadata');
  const versions = readdirSync(folder).flatMap((name) => /^v(\d+)\.metadata/.exec(name)?.[1] ?? []);
  const last = Math.max(...versions.map(Number));
  const metadata = JSON.parse(readFileSync(join(folder, `v${last}.metadata.json`), 'utf8'));
  const empty = { 'current-snapshot-id': -1, snapshots: [], 'snapshot-log': [], refs: {} };
  const next = JSON.stringify({ ...metadata, ...empty });
  writeFileSync(join(folder, `v${last + 1}.metadata.json`), next);
  writeFileSync(join(folder, 'version-hint.text'), String(last + 1));
}

function metadataFiles(): string[] {
  const folder = join(lake.folder, 'lake', 'a', 't', 'metadata');
  return readdirSync(folder).map((name) => join(folder, name));
}

function dataFiles(): string[] {
  const folder = join(lake.folder, 'lake');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => join(folder, name));
}
