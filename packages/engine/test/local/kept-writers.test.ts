/** Writers that stay open between change batches (EngineOptions.keepWriterMs). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { replacingBatch, streamedBatch, wireBatch } from '../../../../test/support/wire-batch.ts';
import { type Clock, SYSTEM_CLOCK } from '../../src/base/time/clock.ts';

const KEPT_MS = 60_000;
const schema = schemaOf({ id: 'long', title: 'string' });

/** A clock on which the time of kept writers is over when a test says so. */
class HeldClock implements Clock {
  readonly #waiting = new Set<() => void>();
  readonly now = SYSTEM_CLOCK.now;
  readonly ticks = SYSTEM_CLOCK.ticks;
  readonly random = SYSTEM_CLOCK.random;

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms !== KEPT_MS) return SYSTEM_CLOCK.sleep(ms, signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal?.addEventListener('abort', () => resolve());
    return promise.finally(() => this.#waiting.delete(resolve));
  }

  /** True once a writer waits for its next batch. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  elapse(): void {
    for (const end of this.#waiting) end();
  }
}

let clock: HeldClock;
let lake: SmallLake;
let backend: LocalEngine;

beforeEach(async () => {
  clock = new HeldClock();
  lake = await openSmallLake({ keepWriterMs: KEPT_MS, clock });
  ({ backend } = lake);
  await lake.create(schema);
  await append(1, 2);
  await lake.build('fields:\n  - { name: title, type: TEXT, cached: true }');
});
afterEach(() => lake.close());

const append = (...ids: number[]) => lake.append(ids.map((id) => ({ id, title: `row ${id}` })));

async function nextBatch() {
  const table = await lake.table();
  const checkpoint = await backend.getCheckpoint({});
  return replacingBatch(table, checkpoint, table.currentSnapshotId!);
}

const apply = async (sent = streamedBatch) =>
  backend.applyBatch({ batch: sent(await nextBatch()) });

function isLocked(): boolean {
  const indexes = join(lake.folder, 'data/indexes');
  const [uuid] = readdirSync(indexes);
  return readdirSync(join(indexes, uuid)).includes('writer.lock');
}

/** Waits for what other turns of the event loop do. */
async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a writer that is kept', () => {
  it('applies batch after batch, whose merges run beside', async () => {
    for (let id = 3; id < 23; id++) {
      await append(id);
      expect(await apply(id % 2 === 0 ? streamedBatch : wireBatch)).toMatchObject({
        applied: true,
        doc_count: id,
      });
      expect((await backend.search({ query: `title:${id}` })).total).toBe(1);
      expect(isLocked()).toBe(true);
    }
    await until(() => clock.waits);
    expect((await backend.describeIndex({})).segments).toBeLessThanOrEqual(5);
    await lake.expectRebuilt();
  });

  it('gives the lock back when its time is over, and the next batch takes it again', async () => {
    await append(3);
    await apply();
    await until(() => clock.waits);
    clock.elapse();
    await until(() => !isLocked());
    await append(4);
    expect(await apply()).toMatchObject({ applied: true, doc_count: 4 });
    expect(isLocked()).toBe(true);
  });

  it('acknowledges a batch that comes twice', async () => {
    await append(3);
    const batch = wireBatch(await nextBatch());
    expect(await backend.applyBatch({ batch })).toMatchObject({ applied: true });
    expect(await backend.applyBatch({ batch })).toMatchObject({ applied: false, doc_count: 3 });
  });

  it('is closed by a batch that fails', async () => {
    await append(3);
    await apply();
    await append(4);
    const batch = { ...wireBatch(await nextBatch()), from: '17' };
    await expect(backend.applyBatch({ batch })).rejects.toMatchObject({ code: 'checkpoint_gap' });
    expect(isLocked()).toBe(false);
    expect(await apply()).toMatchObject({ doc_count: 4 });
  });

  it('refuses no batch that comes beside another one', async () => {
    await append(3);
    const batch = wireBatch(await nextBatch());
    const both = await Promise.all([1, 2].map(() => backend.applyBatch({ batch })));
    expect(both.map(({ applied }) => applied).sort()).toEqual([false, true]);
  });

  it('is ended by the end of the engine', async () => {
    await append(3);
    await apply();
    await backend.close();
    expect(isLocked()).toBe(false);
  });
});

describe('other writers', () => {
  const others: readonly [string, () => Promise<unknown>][] = [
    ['sync', () => backend.sync({ wait_ms: 0 })],
    ['reindex', () => backend.reindex({})],
    ['compact', () => backend.compact({})],
    ['erase', () => backend.checkErasure({ keys: [{ identifier: [{ name: 'id', value: '1' }] }] })],
    ['drop', () => backend.dropIndex({ index: 't' })],
  ];
  it.each(others)('end the kept one: %s', async (name, work) => {
    await append(3);
    await apply();
    await append(4);
    await work();
    expect(clock.waits).toBe(false);
    if (name === 'drop') return;
    await append(5);
    expect(await apply()).toMatchObject({ doc_count: 5 });
    await lake.expectRebuilt();
  });
});
