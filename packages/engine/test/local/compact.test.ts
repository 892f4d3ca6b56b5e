import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { filesOf, readCommit } from '../../src/index/commits/commit.ts';
import { lockIndex } from '../../src/index/commits/writer-lock.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { inlineRunner } from '../../src/index/merges/merge-runners.ts';
import { sweepIndex } from '../../src/open/open-index.ts';
import { openPinnedIndex, pinIndex, releasePinnedIndex } from '../../src/open/pinned-index.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { compactIndex } from '../../src/sync/build/compact-index.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const definition = `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: id, type: LONG, cached: true }
`;

let dataDir = '';
let backend: LocalEngine;
const config = () => ({
  catalog: { type: 'filesystem' as const, warehouse: join(dataDir, 'lake') },
  table: 'ops.notes',
});
const append = (from: number, count: number) =>
  appendRows(config(), {
    kind: 'rows',
    rows: Array.from({ length: count }, (_, i) => ({ id: from + i, title: `note ${from + i}` })),
  });
const folder = () => {
  const [uuid] = readdirSync(join(dataDir, 'indexes'));
  return join(dataDir, 'indexes', uuid);
};
const generation = (number = 1) => join(folder(), `gen-00000${number}`);
const directory = (number = 1) => openLocalDirectory(generation(number));
const contents = async () => {
  const rows: string[] = [];
  for await (const { coordinates, fields } of backend.exportDocuments({ index: 'notes' })) {
    rows.push(JSON.stringify([coordinates, fields]));
  }
  return rows;
};
const unneeded = (number = 1) => {
  const kept = filesOf(readCommit(directory(number))!);
  return readdirSync(generation(number)).filter((n) => !kept.has(n) && n !== 'verified');
};

/** An index of three segments, some rows deleted. */
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-compact-'));
  await createTable(config().catalog, 'ops.notes', { schema, formatVersion: 2 });
  backend = await openEngine(dataDir, { create: true, threads: 0 });
  await backend.createIndex({ definition, base_dir: dataDir });
  await append(0, 50);
  await backend.reindex({ index: 'notes' });
  for (const from of [50, 60]) {
    await append(from, 10);
    await deleteRows(config(), `id = ${from} OR id = ${from - 47}`);
    await backend.sync({ index: 'notes' });
  }
});
afterEach(async () => {
  await backend.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('compact', () => {
  it('merges to one segment without deleted rows, reports it, then has nothing to do', async () => {
    const before = await contents();
    const { segments, deleted_docs = 0, bytes, checkpoint } = await backend.describeIndex({});
    expect([segments, deleted_docs > 0]).toEqual([3, true]);
    const told: number[] = [];
    const done = await backend.compact(
      { index: 'notes' },
      {
        progress: (p) => {
          expect([p.phase, p.docs_total]).toEqual(['merging', 70]);
          told.push(p.docs_done);
        },
      },
    );
    expect(done).toMatchObject({ segments_before: 3, segments_after: 1, bytes_before: bytes });
    expect(done.bytes_after).toBeLessThan(done.bytes_before);
    expect([told.at(-1), told.toSorted((a, b) => a - b)]).toEqual([70, told]);
    const after = await backend.describeIndex({ index: 'notes' });
    expect(after).toMatchObject({
      segments: 1,
      deleted_docs: 0,
      bytes: done.bytes_after,
      checkpoint: { ...checkpoint, committed_at: expect.anything() },
    });
    expect(await contents()).toEqual(before);
    const snapshot = openSnapshot(directory());
    expect(checkIndex(snapshot)).toEqual([]);
    snapshot.release();
    expect(unneeded()).toEqual([]);
    const { number } = readCommit(directory())!;
    const again = await backend.compact({ index: 'notes' });
    expect(again).toMatchObject({ segments_before: 1, segments_after: 1 });
    expect(readCommit(directory())?.number).toBe(number);
    await append(100, 5);
    expect((await backend.sync({ index: 'notes' })).inserted).toBe(5);
  });

  it('leaves the requested number of segments', async () => {
    const done = await backend.compact({ index: 'notes', segments: 2 });
    expect(done).toMatchObject({ segments_before: 3, segments_after: 2 });
    for (const segments of [0, -1, 1.5, Number.NaN]) {
      await expect(backend.compact({ index: 'notes', segments })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
  });

  it('answers searches while it runs, from the commit before', async () => {
    const before = await contents();
    const begun = Promise.withResolvers<void>();
    const progress = () => begun.resolve();
    const running = backend.compact({ index: 'notes' }, { progress });
    await begun.promise;
    const sync = (wait_ms?: number) => backend.sync({ index: 'notes', wait_ms });
    const busy = expect(sync(0)).rejects.toMatchObject({ code: 'index_busy' });
    expect(await contents()).toEqual(before);
    await busy;
    await Promise.all([running, sync()]);
    expect(await contents()).toEqual(before);
  });

  it('is refused during another write, before a first build, and on a full disk', async () => {
    const lock = lockIndex(folder());
    const impatient = await openEngine(dataDir, { create: true, threads: 0, lockWaitMs: 0 });
    await expect(impatient.compact({ index: 'notes' })).rejects.toMatchObject({
      code: 'index_busy',
      message: expect.stringContaining('cannot compact "notes"'),
      details: { pid: process.pid },
    });
    await impatient.close();
    lock.release();
    const room = { freeBytes: () => 100, segments: 1 };
    const runner = inlineRunner(directory());
    await expect(compactIndex({ directory: directory(), runner, ...room })).rejects.toMatchObject({
      code: 'disk_short',
      message: expect.stringContaining('too full to compact'),
    });
    expect(unneeded()).toEqual([]);
    await backend.createIndex({
      definition: definition.replace('notes', 'other'),
      base_dir: dataDir,
    });
    await expect(backend.compact({ index: 'other' })).rejects.toMatchObject({
      code: 'index_not_built',
    });
  });

  it('stops on a signal and leaves the index and nothing else', async () => {
    const before = await contents();
    const work = { signal: AbortSignal.abort() };
    await expect(backend.compact({ index: 'notes' }, work)).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(await contents()).toEqual(before);
    expect(readdirSync(folder()).filter((name) => name.startsWith('writer'))).toEqual([]);
    sweepIndex(folder(), openLocalDirectory);
    expect(unneeded()).toEqual([]);
  });

  it('keeps a pinned commit through syncs, compactions, reindexes and reopening', async () => {
    const now = Date.now();
    const { generation: number, pin } = pinIndex(
      { folder: folder(), index: 't' },
      openLocalDirectory,
      600_000,
      now,
    );
    const pinned = { generation: number, id: pin.id };
    const ids = () => {
      const snapshot = openPinnedIndex(folder(), openLocalDirectory, pinned, now);
      const keys = snapshot.segments.flatMap((segment) =>
        Array.from({ length: segment.docs }, (_, doc) => doc)
          .filter((doc) => !segment.isDeleted(doc))
          .map((doc) =>
            String(
              segment
                .numeric(segment.entry.components.find((c) => c.kind === 'numeric')!.field)
                ?.valueAt(doc, 0),
            ),
          ),
      );
      snapshot.release();
      return keys.sort();
    };
    const before = ids();
    expect(before.length).toBe(66);
    await backend.compact({ index: 'notes' });
    expect(ids()).toEqual(before);
    await append(200, 10);
    await deleteRows(config(), 'id < 20');
    await backend.sync({ index: 'notes' });
    expect(ids()).toEqual(before);
    await backend.close();
    backend = await openEngine(dataDir, { create: true, threads: 0 });
    expect((await backend.describeIndex({ index: 'notes' })).num_docs).toBeLessThan(70);
    await backend.reindex({ index: 'notes' });
    await backend.sync({ index: 'notes' });
    expect(ids()).toEqual(before);
    expect(releasePinnedIndex(folder(), openLocalDirectory, pinned)).toBe(true);
    for (let sweep = 0; sweep < 2; sweep++) sweepIndex(folder(), openLocalDirectory);
    expect(readdirSync(folder()).sort()).toEqual(['CURRENT', 'gen-000002']);
    expect(unneeded(2)).toEqual([]);
  });
});
