import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { deleteAt, moveTo } from '../../../../../test/support/writer-edits.ts';
import {
  arena,
  blockOf,
  contentOf,
  plans,
  type Row,
} from '../../../../../test/support/writer-pair.ts';
import type { Merged } from '../../segment/merge.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { filesOf, readCommit } from '../commits/commit.ts';
import { IndexWriter } from '../index-writer.ts';
import { BackgroundMerges, type MergeRunner } from './background-merges.ts';
import { type MergeJob, runJob } from './merge-plan.ts';
import type { MergeSettings } from './merge-policy.ts';
import { inlineRunner, workerRunner } from './merge-runners.ts';
import { runInThread } from './merge-threads.ts';

const settings: MergeSettings = {
  floorBytes: 2 ** 20,
  segmentsPerTier: 2,
  maxBytes: 2 ** 30,
  maxDocs: 1000,
  deletedPart: 0.3,
};
const state = { checkpoint: null, files: filesNamed('a') };
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-merges-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const row = (i: number): [string, Row] => [`k${i}`, { n: BigInt(i), file: 0, position: i }];
const placesOf = (...positions: number[]) => positions.map((position) => ({ file: 0, position }));
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => row(from + i));

/** `count` commits of ten documents each. */
function append(writer: IndexWriter, from: number, count: number): void {
  for (let i = 0; i < count; i++) {
    writer.add(blockOf(rows(from + 10 * i, 10)));
    writer.commit(state);
  }
}

/** A runner whose jobs wait until they are let go. */
function gated(run: (job: MergeJob) => Merged): { runner: MergeRunner; jobs: (() => void)[] } {
  const jobs: (() => void)[] = [];
  const runner: MergeRunner = (job, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')));
      jobs.push(() => {
        try {
          resolve(run(job));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  return { runner, jobs };
}

describe('merges in the background', () => {
  test('run beside commits, deletes and moves, which are carried over', async () => {
    const directory = openLocalDirectory(folder);
    const writer = IndexWriter.open(directory, plans);
    const merges = new BackgroundMerges(writer, runInThread, { settings });
    append(writer, 0, 3);
    deleteAt(writer, placesOf(3));
    expect(merges.start()).toBe(true);
    expect(merges.collect()).toBe(0);
    deleteAt(writer, placesOf(7, 21));
    const [from] = placesOf(4);
    const to = { file: 1, position: 77 };
    expect(moveTo(writer, { key: Buffer.from('k4'), hash: 4n, from, to })).toBe(true);
    append(writer, 30, 1);
    expect(merges.start()).toBe(true);
    await merges.running;
    expect(merges.collect()).toBe(3);
    expect(writer.segments).toBe(2);
    writer.commit(state);
    const { model } = contentOf(directory);
    expect(model.size).toBe(37);
    expect(['k3', 'k7', 'k21'].filter((key) => model.has(key))).toEqual([]);
    expect(model.get('k4')).toEqual({ n: 4n, file: 1, position: 77 });
    await merges.close();
    writer.close();
    const kept = new Set([...filesOf(readCommit(directory)!), 'verified']);
    expect(readdirSync(folder).filter((name) => !kept.has(name))).toEqual([]);
  });

  test('leave nothing to merge after settle', async () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans);
    const merges = new BackgroundMerges(writer, inlineRunner(directory), { settings });
    append(writer, 0, 20);
    expect(await merges.settle()).toBeGreaterThan(0);
    expect(writer.merges.best(settings)).toBeNull();
    writer.commit(state);
    expect(contentOf(directory).model.size).toBe(200);
    await merges.close();
    writer.close();
  });

  test('keep the files of a running merge through commits and a rollback', async () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans);
    const { runner, jobs } = gated((job) => runJob(job, directory));
    const merges = new BackgroundMerges(writer, runner, { settings });
    append(writer, 0, 3);
    merges.start();
    for (let i = 0; i < 30; i++) deleteAt(writer, placesOf(i));
    append(writer, 100, 2);
    expect(readCommit(directory)?.segments.length).toBe(2);
    writer.rollback();
    jobs[0]();
    await merges.running;
    // All its sources are gone: nothing is taken, nothing is left.
    expect(merges.collect()).toBe(0);
    writer.commit(state);
    expect(directory.list()).toEqual([...filesOf(readCommit(directory)!)].sort());
    expect(contentOf(directory).model.size).toBe(20);
    await merges.close();
    writer.close();
  });

  test('are dropped on failure, reported once and retried later', async () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans);
    const told: string[] = [];
    let broken = true;
    const runner: MergeRunner = async (job) => {
      if (!broken) return runJob(job, directory);
      runJob(job, directory);
      throw new LhsError('io_error', 'no luck');
    };
    const onError = (error: Error) => told.push(error.message);
    const merges = new BackgroundMerges(writer, runner, { settings, onError });
    append(writer, 0, 3);
    let attempts = 0;
    for (let i = 0; i < 20; i++) {
      if (!merges.start()) continue;
      attempts++;
      await merges.running;
      merges.collect();
      expect(directory.list()).toEqual([...filesOf(readCommit(directory)!)].sort());
      append(writer, 1000 + 10 * i, 1);
    }
    expect(told).toEqual(['no luck']);
    expect(attempts).toBeGreaterThan(2);
    expect(attempts).toBeLessThan(6);
    broken = false;
    for (let i = 0; i < 100 && !merges.start(); i++);
    await merges.running;
    expect(merges.collect()).toBeGreaterThan(1);
    await merges.close();
    writer.close();
  });

  test.each([
    ['throws', 'throw new Error("broken")', 'broken'],
    ['ends', 'process.exit(3)', 'its thread ended'],
    ['runs out of heap', 'const a = []; for (;;) a.push(new Array(1e5).fill({}))', 'memory limit'],
  ])('fail alone if their thread %s', async (_, code, message) => {
    const directory = openLocalDirectory(folder);
    const writer = IndexWriter.open(directory, plans);
    const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
    const told: string[] = [];
    const onError = (error: Error) => told.push(error.message);
    const merges = new BackgroundMerges(writer, workerRunner({ entry, heapMb: 16 }), {
      settings,
      onError,
    });
    append(writer, 0, 3);
    expect(await merges.settle()).toBe(0);
    expect(told).toEqual([expect.stringContaining(message)]);
    append(writer, 30, 1);
    expect(contentOf(directory).model.size).toBe(40);
    await merges.close();
    writer.close();
  });

  test('stop on close and leave no file', async () => {
    const directory = openLocalDirectory(folder);
    const writer = IndexWriter.open(directory, plans);
    const merges = new BackgroundMerges(writer, runInThread, { settings });
    append(writer, 0, 3);
    expect(merges.start()).toBe(true);
    await merges.close();
    expect(merges.start()).toBe(false);
    const kept = new Set([...filesOf(readCommit(directory)!), 'verified']);
    expect(readdirSync(folder).filter((name) => !kept.has(name))).toEqual([]);
    writer.close();
  });

  test('leave one segment when forced, and change nothing when stopped', async () => {
    const directory = openLocalDirectory(folder);
    const writer = IndexWriter.open(directory, plans);
    const merges = new BackgroundMerges(writer, runInThread, { settings });
    append(writer, 0, 4);
    const stopped = AbortSignal.abort();
    await expect(merges.force(1, { signal: stopped })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(writer.segments).toBe(4);
    expect(await merges.force(1)).toBe(1);
    writer.commit(state);
    expect(readCommit(directory)?.segments.length).toBe(1);
    expect(contentOf(directory).model.size).toBe(40);
    await merges.close();
    writer.close();
  });
});
