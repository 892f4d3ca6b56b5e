import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-running-queries-'));
const data = join(folder, 'data');
const source = {
  catalog: { type: 'filesystem', warehouse: join(folder, 'lake') } as const,
  table: 'a.t',
};
const SCHEMA = schemaOf({ id: 'long', title: 'string' });
const DOCS = 150;
const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
/** Four words in an order of its own: near phrases have to compare many positions. */
const textOf = (id: number) =>
  Array.from({ length: 2000 }, (_, i) => WORDS[(i * 7 + (i >> 2) * id + (i >> 5)) % 4]).join(' ');
/** Runs into the limit of a query, 10 s, unless it is stopped before. */
const SLOW = Array.from(
  { length: 100 },
  (_, i) => `title:"alpha beta gamma delta alpha"~${20 + i}`,
);
const slow = { query: SLOW.join(' OR '), limit: 3 };
const quick = { query: 'title:alpha', limit: 1 };

let backend: LocalEngine;
const threads: { worker: Worker; ended: boolean }[] = [];
const begin = (worker: Worker) => {
  const thread = { worker, ended: false };
  threads.push(thread);
  worker.once('exit', () => {
    thread.ended = true;
  });
};

beforeAll(async () => {
  await createTable(source.catalog, source.table, { schema: SCHEMA });
  const rows = Array.from({ length: DOCS }, (_, id) => ({ id, title: textOf(id) }));
  await appendRows(source, { kind: 'rows', rows });
  const builder = await openEngine(data, { create: true, threads: 0 });
  const definition = `version: 1
index: slow
source: { catalog: ${JSON.stringify(source.catalog)}, table: a.t }
fields:
  - { name: title, type: TEXT }
`;
  await builder.createIndex({ definition, base_dir: folder });
  await builder.reindex({});
  await builder.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  process.on('worker', begin);
  backend = await openEngine(data, { create: true, threads: 1, freshnessMs: 3_600_000 });
  await expectAnswer();
});
afterEach(async () => {
  await backend.close();
  process.off('worker', begin);
  expect(threads.map(({ ended }) => ended)).not.toContain(false);
  threads.length = 0;
});

/** The quick query is answered. On a busy machine it may miss its limit: then it is repeated. */
async function expectAnswer(): Promise<void> {
  const total = async () => (await backend.search(quick)).total;
  await expect.poll(total).toBe(DOCS);
}

/** Starts the slow query and waits until its thread has worked on it for a while. */
async function begun(call = {}): Promise<{ readonly running: Promise<unknown> }> {
  const { performance } = threads.at(-1)!.worker;
  const before = performance.eventLoopUtilization();
  const running = backend.search(slow, call);
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  running.then(end, end);
  const hasWorked = () => performance.eventLoopUtilization(before).active >= 100;
  while (!isOver && !hasWorked()) await setImmediate();
  return { running };
}

const states = () => threads.map(({ ended }) => (ended ? 'ended' : 'lives'));
/** Threads that run. On a busy machine one that is slow to stop is replaced. */
const living = () => threads.filter(({ ended }) => !ended).length;

describe('a search thread in the middle of a query', () => {
  it('stops the query that is aborted, and answers the next one', async () => {
    const stop = new AbortController();
    const { running } = await begun({ signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
    await expectAnswer();
    expect(living()).toBe(1);
  });

  it('stops the query at its deadline, and answers the next one', async () => {
    const { running } = await begun({ deadline: Date.now() + 1000 });
    await expect(running).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await expectAnswer();
    expect(living()).toBe(1);
  });

  it('that is killed fails its query alone, and another one answers the next', async () => {
    const { running } = await begun();
    const waiting = expectAnswer();
    await threads[0].worker.terminate();
    await expect(running).rejects.toMatchObject({ code: 'internal' });
    await waiting;
    expect(states()).toEqual(['ended', 'lives']);
  });

  it('ends when the engine is closed', async () => {
    const { running } = await begun();
    await backend.close();
    await expect(running).rejects.toMatchObject({ code: 'closed' });
    expect(states()).toEqual(['ended']);
  });
});
