import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { contentDigest, openSnapshot } from '@lakehouse-search/engine/internal';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows, openTable, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changeColumns,
  expireSnapshots,
  setRef,
} from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { deleteCommitted } from '../../../../test/support/writer-edits.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { dataFiles } from '../../src/index/commits/data-files.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import { analyzersOf } from '../../src/open/definition-analyzers.ts';
import { takeLock } from '../../src/open/index-folder.ts';
import { encodeKey } from '../../src/schema/keys/key.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string' });

let folder = '';
let backend: LocalEngine;
const source = () => ({
  catalog: { type: 'filesystem' as const, warehouse: join(folder, 'lake') },
  table: 'ops.notes',
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-verify-'));
  await createTable(source().catalog, 'ops.notes', { schema: SCHEMA, formatVersion: 2 });
  backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
});
afterEach(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, title: `note ${from + i}` }));
const append = (from: number, to: number) =>
  appendRows(source(), { kind: 'rows', rows: rows(from, to) });
const create = (more = '') =>
  backend.createIndex({
    base_dir: folder,
    definition: `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
fields:
  - { name: title, type: TEXT, cached: true }
${more}`,
  });
const indexFolder = () => {
  const indexes = join(folder, 'data', 'indexes');
  return join(indexes, readdirSync(indexes)[0]);
};
const generation = () =>
  join(indexFolder(), readFileSync(join(indexFolder(), 'CURRENT'), 'utf8').trim());
const opened = () => openTable(source());
const idsOf = (keys: readonly { identifier: readonly { value: string }[] }[]) =>
  keys.map(({ identifier }) => Number(identifier[0].value)).sort((a, b) => a - b);

/** Deletes documents behind the index's back, by id. */
async function forget(...ids: readonly number[]): Promise<void> {
  const { fields } = openSnapshot(openLocalDirectory(generation())).commit;
  const plans = fields.map(({ vector: _, ...field }) => ({
    ...field,
    inverted: { kind: 'text' as const, analyzer: analyzersOf([])(field.analyzer ?? 'standard') },
  }));
  const writer = IndexWriter.open(openLocalDirectory(generation()), plans);
  for (const id of ids) {
    deleteCommitted(writer, openLocalDirectory(generation()), encodeKey([String(id)], [0]));
  }
  writer.commit({ checkpoint: writer.lastCommit.checkpoint, files: writer.lastCommit.files });
  writer.close();
}

describe('verify', () => {
  it('finds an index equal after a build and after every sync, through any change', async () => {
    await create();
    await backend.reindex({});
    expect(await backend.verify({})).toMatchObject({
      equal: true,
      rows_compared: 0,
      snapshot: null,
    });
    await append(0, 50);
    await backend.sync({});
    await deleteRows(source(), 'id % 7 = 3');
    await upsertRows(source(), {
      kind: 'rows',
      rows: [
        { id: 5, title: 'other' },
        { id: 70, title: 'new' },
      ],
    });
    await backend.sync({});
    const answer = await backend.verify({});
    expect(answer).toMatchObject({
      equal: true,
      rows_compared: 44,
      doc_count: 44,
      missing: 0,
      extra: 0,
      stale: 0,
      buckets: 1024,
      buckets_drifted: 0,
      faults: [],
    });
    expect(answer.digest.index).toBe(answer.digest.table);
    const snapshot = openSnapshot(openLocalDirectory(generation()));
    expect(contentDigest(snapshot)).toEqual({ digest: answer.digest.index, docs: 44 });
    snapshot.release();
  });

  it('compares with another snapshot, branch or tag, and refuses to repair to it', async () => {
    await append(0, 10);
    await create();
    await backend.reindex({});
    await append(10, 14);
    await deleteRows(source(), 'id = 2');
    await setRef(source(), 'kept', 'tag', (await opened()).currentSnapshotId!);
    const answer = await backend.verify({ snapshot: 'kept' });
    expect(answer).toMatchObject({ equal: false, missing: 4, extra: 1, stale: 0 });
    expect(idsOf(answer.keys.missing)).toEqual([10, 11, 12, 13]);
    expect(idsOf(answer.keys.extra)).toEqual([2]);
    expect((await backend.verify({})).equal).toBe(true);
    await expect(backend.verify({ snapshot: 'kept', repair: true })).rejects.toMatchObject({
      code: 'invalid_argument',
      next: expect.arrayContaining([{ step: 'sync', index: 'notes' }]),
    });
    await expect(backend.verify({ snapshot: 'kpet' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('reports a sample as such, and a sample of everything finds everything', async () => {
    await append(0, 40);
    await append(40, 60);
    await create();
    await backend.reindex({});
    expect(await backend.verify({ sample: 7 })).toMatchObject({
      equal: true,
      sampled: true,
      extra: 0,
    });
    await forget(3, 41);
    await deleteRows(source(), 'id = 9');
    const all = await backend.verify({ sample: 1000 });
    expect(all).toMatchObject({
      equal: false,
      sampled: true,
      missing: 2,
      extra: 0,
      rows_compared: 60,
    });
    expect(idsOf(all.keys.missing)).toEqual([3, 41]);
    const { snapshots } = await opened();
    const head = await backend.verify({ sample: 1000, snapshot: String(snapshots.at(-1)!.id) });
    expect(head).toMatchObject({ missing: 2, extra: 1 });
    expect(idsOf(head.keys.extra)).toEqual([9]);
    for (const sample of [0, -1, 1.5]) {
      await expect(backend.verify({ sample })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(backend.verify({ sample: 1, repair: true })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('repairs drift once, under the lock, and compares without it', async () => {
    await append(0, 20);
    await create();
    await backend.reindex({});
    await forget(4, 5);
    const lock = takeLock(indexFolder(), 'notes', 'sync');
    expect(await backend.verify({})).toMatchObject({ equal: false, missing: 2, doc_count: 18 });
    lock.release();
    const before = openSnapshot(openLocalDirectory(generation())).commit;
    const repaired = await backend.verify({ repair: true });
    expect(repaired).toMatchObject({
      equal: true,
      doc_count: 20,
      repaired: { added: 2, replaced: 0, deleted: 0 },
    });
    const after = openSnapshot(openLocalDirectory(generation())).commit;
    expect(after.number).toBe(before.number + 1);
    expect(after.checkpoint).toEqual(before.checkpoint);
    const again = await backend.verify({ repair: true });
    expect(again).toMatchObject({ equal: true, repaired: { added: 0, replaced: 0, deleted: 0 } });
    expect(openSnapshot(openLocalDirectory(generation())).commit.number).toBe(after.number);
    expect(await backend.search({ query: 'title:"note 4"' })).toMatchObject({ total: 1 });
  });

  it('reads its commit while others sync, merge and remove files', async () => {
    await append(0, 30);
    await create();
    await backend.reindex({});
    const other = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    let synced: Promise<unknown> | undefined;
    const progress = () => {
      synced ??= deleteRows(source(), 'id < 25')
        .then(() => append(40, 45))
        .then(() => other.sync({}));
    };
    const snapshot = (await backend.describeIndex({})).snapshot;
    const answer = await backend.verify({}, { progress });
    expect(answer).toMatchObject({ equal: true, snapshot, rows_compared: 30, doc_count: 30 });
    await synced;
    await other.close();
    expect(await backend.verify({})).toMatchObject({
      equal: true,
      rows_compared: 10,
      doc_count: 10,
    });
  });

  it('reads renamed and dropped columns by field id', async () => {
    await append(0, 10);
    await create();
    await backend.reindex({});
    await changeColumns(source(), { kind: 'rename', from: 'title', to: 'headline' });
    expect(await backend.verify({})).toMatchObject({ equal: true, rows_compared: 10 });
    await changeColumns(source(), { kind: 'drop', name: 'headline' });
    expect(await backend.verify({})).toMatchObject({ equal: true, rows_compared: 10 });
  });

  it('stops on a signal', async () => {
    await append(0, 10);
    await create();
    await backend.reindex({});
    const controller = new AbortController();
    controller.abort();
    await expect(backend.verify({}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it('ends its thread before it fails', async () => {
    await append(0, 10);
    await create();
    await backend.reindex({});
    const threads = { begun: 0, ended: 0 };
    const begin = (worker: Worker) => {
      threads.begun++;
      worker.once('exit', () => threads.ended++);
    };
    process.on('worker', begin);
    const progress = () => {
      throw new Error('the caller fails');
    };
    await expect(backend.verify({}, { progress })).rejects.toThrow('the caller fails');
    process.off('worker', begin);
    expect(threads).toEqual({ begun: 1, ended: 1 });
  });

  it('finds a checkpoint that does not match its snapshot', async () => {
    await append(0, 10);
    await append(10, 20);
    await create();
    await backend.reindex({});
    const directory = openLocalDirectory(generation());
    const commit = readCommit(directory)!;
    const [first, second] = commit.files.all();
    const [state] = second.entries;
    const edits = [[], [{ ...state, records: 9 }], [{ ...state, sequence: '7' }]].map((entries) => {
      return dataFiles([first, { ...second, entries }]);
    });
    for (const files of edits) {
      writeCommit(directory, { ...commit, files });
      const own = await backend.verify({});
      expect(own).toMatchObject({ equal: false, missing: 0, extra: 0, stale: 0 });
      expect(own.faults).toEqual([expect.stringContaining('1 file differs')]);
    }
    writeCommit(directory, { ...commit, files: edits[1] });
    const earlier = String((await opened()).snapshots[0].id);
    expect(await backend.verify({ snapshot: earlier })).toMatchObject({
      extra: 10,
      faults: ['documents that name rows which no file of the checkpoint has: 1'],
    });
  });

  it('reports a damaged component, compares the rest, and asks for a reindex', async () => {
    await append(0, 20);
    await create();
    await backend.reindex({});
    const file = readdirSync(generation()).find((name) => name.endsWith('.text'))!;
    const bytes = readFileSync(join(generation(), file));
    bytes[200] ^= 1;
    writeFileSync(join(generation(), file), bytes);
    const answer = await backend.verify({});
    expect(answer).toMatchObject({
      equal: false,
      rows_compared: 20,
      missing: 0,
      extra: 0,
      stale: 0,
    });
    expect(answer.faults).toEqual([expect.stringContaining(file)]);
    await expect(backend.verify({ repair: true })).rejects.toMatchObject({
      code: 'corrupt_index',
      next: expect.arrayContaining([{ step: 'reindex', index: 'notes' }]),
    });
  });

  it('compares the rest of an index with missing files', async () => {
    await append(0, 20);
    await create();
    await backend.reindex({});
    await append(20, 25);
    await backend.sync({});
    const text = readdirSync(generation()).find((name) => name.endsWith('.text'))!;
    rmSync(join(generation(), text));
    const first = await backend.verify({});
    expect(first).toMatchObject({
      equal: false,
      rows_compared: 25,
      missing: 0,
      extra: 0,
      stale: 0,
    });
    expect(first.faults[0]).toContain(text);
    rmSync(join(generation(), text.replace(/\..*/, '.keys')));
    const second = await backend.verify({});
    expect(second.missing).toBe(25 - second.doc_count);
    expect(second.missing).toBeGreaterThan(0);
    expect(second.faults.join()).toContain('cannot be compared');
    writeFileSync(join(generation(), 'commit'), 'nonsense');
    await expect(backend.verify({})).rejects.toMatchObject({ code: 'corrupt_index' });
  });

  it('resolves rows that share a key as a build does, or names both locations', async () => {
    await append(0, 10);
    await append(5, 8);
    await create('key: { identifier: [id] }\non_duplicate_key: last\n');
    await backend.reindex({});
    expect(await backend.verify({})).toMatchObject({
      equal: true,
      rows_compared: 13,
      doc_count: 10,
    });
    expect(await backend.verify({ sample: 100 })).toMatchObject({ equal: true });
    await forget(6);
    expect(await backend.verify({})).toMatchObject({ missing: 1, extra: 0, stale: 0 });
    expect(await backend.verify({ repair: true })).toMatchObject({ equal: true });
    await backend.dropIndex({ index: 'notes' });
    const id = (await opened()).snapshots[0].id;
    await create();
    await backend.reindex({ as_of: String(id) });
    const head = (await opened()).currentSnapshotId;
    await expect(backend.verify({ snapshot: String(head) })).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringMatching(/key id=5 stands in two rows: row \d of .* and row \d of /),
    });
  });

  it('says what to do if the snapshot of the index expired', async () => {
    await append(0, 10);
    await create();
    await backend.reindex({});
    await append(10, 12);
    await expireSnapshots(source(), Date.now() + 1000);
    await expect(backend.verify({})).rejects.toMatchObject({
      code: 'not_found',
      next: expect.arrayContaining([{ step: 'sync', index: 'notes' }]),
    });
  });
});
