import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JOB_TRANSITIONS, type JobEvent, type JobState } from '@lakehouse-search/contract';
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
const pairs = STATES.flatMap((state) => EVENTS.map((event) => ({ state, event })));

function jobIn(state: JobState): string {
  const { id } = registry.jobs.start(index.uuid, 'reindex', 1)!;
  for (const event of WAYS[state]) registry.jobs.apply(id, event, 2);
  expect(registry.jobs.get(id)?.state).toBe(state);
  return id;
}

describe('a registered job', () => {
  it.each(pairs)('in $state follows the table of transitions on $event', ({ state, event }) => {
    const id = jobIn(state);
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

  it('prevents the removal of its index, and goes with it', () => {
    const id = jobIn('building');
    expect(registry.remove(index.uuid)).toBe(false);
    registry.jobs.apply(id, 'canceled', 3);
    expect(registry.remove(index.uuid)).toBe(true);
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
