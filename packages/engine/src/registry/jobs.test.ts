import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobKind, JobState } from '@lakehouse-search/contract';
import { BUILD_KINDS, JOB_TRANSITIONS, type JobEvent } from '@lakehouse-search/contract/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOrphaned } from './jobs.ts';
import { type RegisteredIndex, Registry } from './registry.ts';

let folder = '';
let registry: Registry;
let index: RegisteredIndex;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-jobs-'));
  registry = new Registry(folder);
  index = registry.add('commits', 'version: 1', '/');
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Events that lead from the start to a state. */
const WAYS: Readonly<Record<JobState, readonly JobEvent[]>> = {
  pending: [],
  building: ['build_started'],
  cutting_over: ['build_started', 'build_finished'],
  done: ['build_started', 'build_finished', 'cutover_finished'],
  failed: ['build_started', 'build_failed'],
  canceled: ['canceled'],
};
const STATES = Object.keys(WAYS) as readonly JobState[];
const EVENTS: readonly JobEvent[] = [
  'build_started',
  'build_finished',
  'cutover_finished',
  'build_failed',
  'canceled',
  'owner_gone',
];
const KINDS: readonly JobKind[] = [
  ...['reindex', 'alter', 'rollback', 'compact'],
  ...['upgrade', 'verify', 'backup', 'restore'],
  ...['move_windows', 'reindex_window', 'erase'],
] as readonly JobKind[];
const pairs = STATES.flatMap((state) => EVENTS.map((event) => ({ state, event })));
const cases = KINDS.flatMap((kind) => pairs.map((pair) => ({ kind, ...pair })));

function jobIn(state: JobState, kind: JobKind = 'reindex'): string {
  const { id } = registry.jobs.start(index.uuid, kind, 1)!;
  for (const event of WAYS[state]) registry.jobs.apply(id, event, 2);
  expect(registry.jobs.get(id)?.state).toBe(state);
  return id;
}

describe('a registered job', () => {
  it.each(cases)('of kind $kind in $state follows the table on $event', (one) => {
    const { kind, state, event } = one;
    const id = jobIn(state, kind);
    const before = registry.jobs.get(id);
    let worked = 0;
    const error = { code: 'internal', message: 'x', details: {} } as const;
    const after = registry.jobs.apply(id, event, 9, { error }, () => worked++);
    const next = JOB_TRANSITIONS[state][event];
    expect(worked).toBe(next === undefined ? 0 : 1);
    if (next === undefined) return expect(after).toEqual(before);
    expect(after).toMatchObject({ state: next, record: { error } });
    const ended = ['done', 'failed', 'canceled'].includes(next);
    expect(after).toMatchObject({ endedMs: ended ? 9 : null });
    expect(after?.owner === null).toBe(ended);
  });

  it('keeps its state if the work of a transition fails', () => {
    const id = jobIn('cutting_over');
    const fail = () => {
      throw new Error('no');
    };
    expect(() => registry.jobs.apply(id, 'cutover_finished', 3, {}, fail)).toThrow();
    expect(registry.jobs.get(id)).toMatchObject({ state: 'cutting_over', endedMs: null });
  });

  it('allows no second one of its index until it has ended, in any process', () => {
    const other = new Registry(folder);
    const id = jobIn('building');
    expect(other.jobs.start(index.uuid, 'reindex', 3)).toBeNull();
    expect(other.jobs.running(index.uuid)).toMatchObject([{ id, index: 'commits' }]);
    registry.jobs.apply(id, 'canceled', 4);
    expect(other.jobs.start(index.uuid, 'reindex', 5)).not.toBeNull();
    expect(other.jobs.start('no such index', 'reindex', 5)).toBeNull();
    other.close();
  });

  it.each(KINDS)('of kind %s runs beside a reindex unless both are builds', (kind) => {
    jobIn('building');
    const second = registry.jobs.start(index.uuid, kind, 3);
    expect(second === null).toBe(BUILD_KINDS.has(kind));
    expect(registry.jobs.build(index.uuid)).toMatchObject({ kind: 'reindex' });
  });

  it('without a cutover ends at once with its result', () => {
    const id = jobIn('building', 'compact');
    const counts = { segments_before: 3, segments_after: 1 };
    const result = { ...counts, bytes_before: 9, bytes_after: 7, took_ms: 1 };
    expect(registry.jobs.complete(id, 5, result)).toMatchObject({
      ...{ state: 'done', endedMs: 5, owner: null, record: { result } },
    });
    expect(registry.jobs.complete(jobIn('canceled', 'compact'), 6, result)).toMatchObject({
      state: 'canceled',
    });
  });

  it('that makes an index has its name before the index exists', () => {
    const job = registry.jobs.start('no uuid yet', 'restore', 1, { makes: 'restored' });
    expect(job).toMatchObject({ kind: 'restore', index: 'restored' });
    expect(registry.jobs.list()).toMatchObject([{ index: 'restored', state: 'pending' }]);
  });

  it('of this thread is orphaned once this thread does not run it any more', () => {
    const id = jobIn('building');
    expect(isOrphaned(registry.jobs.get(id)!)).toBe(false);
    registry.jobs.abandon(id);
    expect(isOrphaned(registry.jobs.get(id)!)).toBe(true);
    const gone = registry.jobs.get(id)!;
    const elsewhere = { ...gone, owner: { ...gone.owner!, host: 'elsewhere' } };
    expect(isOrphaned(elsewhere)).toBe(false);
  });

  it('reports only while it runs, and notes the first request to cancel it', () => {
    const id = jobIn('building');
    const shards = [{ shard: 0, docs_done: 1, docs_total: 2, generation: 3 }];
    expect(registry.jobs.report(id, { shards, phase: 'reading' })).toBe(true);
    registry.jobs.requestCancel(id, 5);
    registry.jobs.requestCancel(id, 6);
    expect(registry.jobs.get(id)).toMatchObject({ cancelMs: 5, record: { shards } });
    registry.jobs.apply(id, 'canceled', 7);
    expect(registry.jobs.report(id, { shards: [] })).toBe(false);
    expect(registry.jobs.get(id)?.record).toEqual({ shards });
  });

  it('that builds prevents the removal of its index, and goes with it', () => {
    jobIn('building', 'verify');
    const id = jobIn('building');
    expect(registry.remove(index.uuid)).toBeNull();
    registry.jobs.apply(id, 'canceled', 3);
    expect(registry.remove(index.uuid)).not.toBeNull();
    expect(registry.jobs.list()).toEqual([]);
    expect(registry.jobs.get(id)).toBeUndefined();
  });
});

describe('named generations', () => {
  const stage = (jobId: string, folders: readonly number[] = [], now = 10) =>
    registry.generations.stage(index.uuid, jobId, folders, now);
  const named = (now: number) =>
    registry.generations.named(index.uuid, now).map(({ number }) => number);

  it('have numbers above all folders and rows, and count while their job runs', () => {
    const id = jobIn('building');
    expect(stage(id, [1, 4])).toBe(5);
    expect(named(11)).toEqual([5]);
    registry.jobs.apply(id, 'build_failed', 12);
    expect(named(13)).toEqual([]);
    const next = jobIn('building');
    expect(stage(next, [1, 4])).toBe(6);
    expect(named(14)).toEqual([6]);
  });

  it('stay until their time is over, and can be adopted until then', () => {
    const id = jobIn('building');
    const number = stage(id);
    registry.jobs.apply(id, 'owner_gone', 20, {}, () =>
      registry.generations.keepUntil(index.uuid, number, 100),
    );
    expect(named(99)).toEqual([number]);
    expect(named(100)).toEqual([]);
    expect(registry.jobs.get(id)?.resumable).toBe(true);
    const next = jobIn('building');
    expect(registry.generations.adopt(index.uuid, number, next, 100)).toBe(false);
    expect(registry.generations.adopt(index.uuid, number, next, 99)).toBe(true);
    expect(registry.jobs.get(id)?.resumable).toBe(false);
    expect(named(1000)).toEqual([number]);
  });

  it('that ended jobs left are forgotten on request', () => {
    const number = stage(jobIn('building'));
    registry.generations.keepUntil(index.uuid, number, 100);
    const [{ id }] = registry.jobs.running();
    registry.jobs.apply(id, 'owner_gone', 20);
    registry.generations.forgetEnded(index.uuid);
    expect(named(50)).toEqual([]);
  });
});

describe('kept generations', () => {
  const kept = (now = 1000) =>
    registry.generations.kept(index.uuid, now).map(({ number, untilMs }) => [number, untilMs]);
  const keep = (number: number, now: number) =>
    registry.generations.keep(index.uuid, number, 1, now);

  it('are listed by the time at which they ceased to be live, the last one first', () => {
    keep(1, 10);
    keep(4, 20);
    keep(2, 30);
    expect(kept()).toEqual([
      [2, null],
      [4, null],
      [1, null],
    ]);
    expect(registry.generations.named(index.uuid, 1000).map(({ number }) => number)).toEqual([
      1, 2, 4,
    ]);
  });

  it('stay for a time that counts from then, or up to a number', () => {
    for (const number of [1, 2, 3]) keep(number, 10 * number);
    registry.generations.limitKept(index.uuid, { generations: 2, millis: 100 });
    expect(kept(100)).toEqual([
      [3, 130],
      [2, 120],
    ]);
    expect(kept(120)).toEqual([[3, 130]]);
    registry.generations.limitKept(index.uuid, { generations: 1 });
    expect(kept(9999)).toEqual([[3, null]]);
    registry.generations.limitKept(index.uuid, { generations: 0 });
    expect(kept()).toEqual([]);
  });

  it('note a fault until they are brought along, and lose it when they are kept anew', () => {
    keep(1, 10);
    const fault = { code: 'disk_full', message: 'full', sinceMs: 7 } as const;
    registry.generations.noteFault(index.uuid, 1, fault);
    expect(registry.generations.kept(index.uuid, 11)).toMatchObject([{ fault }]);
    registry.generations.noteFault(index.uuid, 1, null);
    expect(registry.generations.kept(index.uuid, 11)).toMatchObject([{ fault: null }]);
    registry.generations.noteFault(index.uuid, 1, fault);
    registry.generations.keep(index.uuid, 1, 5, 40);
    expect(registry.generations.kept(index.uuid, 41)).toMatchObject([{ version: 5, fault: null }]);
  });
});
