// @module-tag campaign
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { TINY_DIMS, tinyModels } from '../../../../test/support/tiny-model.ts';
import type { OpenEmbedder } from '../../src/embed/embedder.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: meaning, type: VECTOR, source: title, dims: ${TINY_DIMS}, model: tiny }`;
const rows = (from: number, count = 3) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, title: `row ${from + i} timeout` }));

/** Models whose next text waits until it is released, once. */
function gate() {
  const tiny = tinyModels();
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let closed = false;
  const open: OpenEmbedder = async (name, from) => {
    const model = await tiny.open(name, from);
    return {
      ...model,
      embed: async (texts) => {
        if (closed) {
          closed = false;
          entered.resolve();
          await released.promise;
        }
        return model.embed(texts);
      },
    };
  };
  const close = () => {
    closed = true;
  };
  return { open, close, entered: entered.promise, release: released.resolve };
}

let lake: SmallLake;
let models: ReturnType<typeof gate>;
const append = (from: number, count?: number) => lake.append(rows(from, count));
beforeEach(async () => {
  models = gate();
  lake = await openSmallLake({ openEmbedder: models.open, freshnessMs: 0 });
  await lake.create(schema);
  await append(0);
  await lake.build(`keep_previous: 0\n${FIELDS}`);
  await append(10);
});
afterEach(() => lake.close());

/** A reindex that waits in the middle of its build. */
async function reindexing(request: { readonly as_of?: string } = {}) {
  models.close();
  const done = lake.backend.reindex(request);
  done.catch(() => {});
  await models.entered;
  return { done };
}

const generations = () => {
  const [uuid] = readdirSync(join(lake.folder, 'data', 'indexes'));
  const names = readdirSync(join(lake.folder, 'data', 'indexes', uuid));
  return names.filter((name) => name.startsWith('gen-')).sort();
};

describe('a sync during a reindex', () => {
  it('goes on with the live generation, and the new one takes over what it applied', async () => {
    const { done } = await reindexing();
    await append(20);
    await deleteRows(lake.source, 'id = 11');
    expect(await lake.backend.sync({})).toMatchObject({ index_generation: 1, doc_count: 8 });
    expect(await lake.backend.search({ query: 'timeout' })).toMatchObject({ total: 8 });
    expect(generations()).toEqual(['gen-000001', 'gen-000002']);
    models.release();
    const head = String(await lake.head());
    expect(await done).toMatchObject({ index_generation: 2, doc_count: 8, snapshot: head });
    expect(generations()).toEqual(['gen-000002']);
    expect(await lake.backend.sync({})).toMatchObject({ snapshots_applied: 0 });
    expect(await lake.backend.verify({})).toMatchObject({ equal: true });
    await lake.expectRebuilt();
  });

  it('leaves no gap for a connector that applies batches before and after', async () => {
    const { done } = await reindexing();
    const before = await lake.backend.getCheckpoint({});
    await append(20);
    await lake.backend.sync({});
    models.release();
    await done;
    const after = await lake.backend.getCheckpoint({});
    expect(after.snapshot_id).toBe(String(await lake.head()));
    expect(after.applied).toContain(before.snapshot_id);
    const { table_uuid, snapshot_id, sequence, schema: columns, files } = before;
    const to = { snapshot_id, sequence, schema: columns, files };
    const batch = { version: 1, table_uuid, from: null, to, parts: [] } as const;
    expect(await lake.backend.applyBatch({ batch })).toMatchObject({ applied: false });
  });

  it('does not move a reindex of an older snapshot', async () => {
    const old = String(await lake.head());
    const { done } = await reindexing({ as_of: old });
    await append(20);
    await lake.backend.sync({});
    models.release();
    expect(await done).toMatchObject({ snapshot: old, doc_count: 6 });
  });

  it('that follows gives way to the cutover, and goes on with the new generation', async () => {
    const stop = new AbortController();
    const { done } = await reindexing();
    const events: string[] = [];
    const following = (async () => {
      const follow = lake.backend.follow({ poll_ms: 10 }, { signal: stop.signal });
      for await (const { event } of follow) {
        events.push(event);
        if (event === 'waiting' && events.filter((name) => name === 'waiting').length === 1) {
          models.release();
        }
      }
    })();
    expect(await done).toMatchObject({ index_generation: 2 });
    await append(30);
    const head = String(await lake.head());
    await lake.backend.search({ min_snapshot: head, wait_ms: 30_000 });
    stop.abort();
    await following;
    expect(await lake.backend.describeIndex({})).toMatchObject({
      index_generation: 2,
      num_docs: 9,
    });
  });
});

describe('a reindex beside searches', () => {
  it.each([
    { where: 'of its engine', threads: null },
    { where: 'of another engine', threads: 0 },
    { where: 'of another engine with threads', threads: 2 },
  ])('$where becomes live without an error or a wrong total', async ({ threads }) => {
    const { backend } = lake;
    const other =
      threads === null
        ? null
        : await openEngine(join(lake.folder, 'data'), { create: true, threads });
    const reader = other ?? backend;
    let stopped = false;
    const totals = new Set<number>();
    const searching = (async () => {
      while (!stopped) {
        totals.add((await reader.search({ query: 'timeout' })).total);
        // a search may end without a turn of the event loop
        await setImmediate();
      }
    })();
    for (let round = 0; round < 5; round++) await backend.reindex({});
    stopped = true;
    await searching;
    await other?.close();
    expect([...totals].filter((total) => total !== 3 && total !== 6)).toEqual([]);
    expect(await backend.describeIndex({})).toMatchObject({ index_generation: 6 });
  });
});

/** `LHS_CANCELS=200` cancels more often. */
const CANCELS = Number(process.env.LHS_CANCELS ?? byEffort(4, 12, 200));
const SEED = Number(process.env.LHS_SEED ?? 20_261_122);

describe('a reindex that is canceled', () => {
  it(`at ${CANCELS} moments leaves the live generation and nothing else`, async () => {
    const { backend } = lake;
    await append(100, 4000);
    await backend.reindex({});
    const whole = Math.min(
      (await backend.reindex({})).took_ms,
      (await backend.reindex({})).took_ms,
    );
    const random = seededBelow(SEED);
    let [before, hashes] = [await backend.verify({}), lake.hashes()];
    const states: Record<string, number> = {};
    for (let round = 0; round < CANCELS; round++) {
      const { job_id } = await backend.startJob({ kind: 'reindex' });
      await new Promise((resolve) => setTimeout(resolve, random(whole + 2)));
      await backend.cancelJob({ job_id });
      const last = (await Array.fromAsync(backend.watchJob({ job_id }))).at(-1)!;
      states[last.state] = (states[last.state] ?? 0) + 1;
      const { index_generation } = await backend.describeIndex({});
      const moved = index_generation - before.index_generation;
      expect(moved, last.state).toBe(last.state === 'done' ? 1 : 0);
      expect(generations()).toEqual([`gen-${String(index_generation).padStart(6, '0')}`]);
      if (round % 10 === 0) {
        const now = await backend.verify({});
        expect(now.digest).toEqual(before.digest);
        expect(now).toMatchObject({ equal: true, faults: [] });
      }
      expect(lake.hashes()).toEqual(hashes);
      if (last.state === 'done') [before, hashes] = [await backend.verify({}), lake.hashes()];
    }
    console.log(`canceled at ${CANCELS} moments: ${JSON.stringify(states)}, seed ${SEED}`);
    expect(states.canceled).toBeGreaterThan(0);
    expect(Object.keys(states).filter((state) => !['canceled', 'done'].includes(state))).toEqual(
      [],
    );
  });
});
