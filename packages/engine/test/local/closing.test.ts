import { spawn } from 'node:child_process';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeBatch, FollowEvent } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const CLOSED = { name: 'LhsError', code: 'closed' };

let lake: SmallLake;
let backend: LocalEngine;
let rows = 0;
const append = (count: number) =>
  lake.append(Array.from({ length: count }, () => ({ id: ++rows, title: `title ${rows}` })));

beforeEach(async () => {
  lake = await openSmallLake();
  backend = lake.backend;
  rows = 0;
  await lake.create(schema);
  await append(10);
  await lake.build('fields:\n  - { name: title, type: TEXT, cached: true }');
});
afterEach(() => lake.close());

const lockOf = (folder: string) => {
  const home = join(folder, 'data', 'indexes');
  return readdirSync(home).flatMap((uuid) =>
    readdirSync(join(home, uuid)).filter((name) => name.startsWith('writer.lock')),
  );
};

let hanging: Promise<void>;
/** The next batch of the index; its parts never come. `hanging`: they are waited for. */
async function hangingBatch(): Promise<ChangeBatch> {
  const { promise, resolve } = Promise.withResolvers<void>();
  hanging = promise;
  const checkpoint = await backend.getCheckpoint({});
  const parts = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        resolve();
        return new Promise<never>(() => {});
      },
    }),
  };
  const { table_uuid, sequence, schema: columns, files } = checkpoint;
  const to = { snapshot_id: '1', sequence, schema: columns, files };
  return { version: 1, table_uuid, from: checkpoint.snapshot_id, to, parts };
}

describe('close of the engine', () => {
  it('ends a follower that waits, without an error and with its lock given back', async () => {
    const events: FollowEvent[] = [];
    let waits = () => {};
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    const following = (async () => {
      for await (const event of backend.follow({})) {
        events.push(event);
        if (event.event === 'waiting') waits();
      }
    })();
    await waiting;
    await backend.close();
    await following;
    expect(events.map(({ event }) => event)).toEqual(['waiting']);
    expect(lockOf(lake.folder)).toEqual([]);
  });

  it('ends a follower whose caller holds an event, and gives its lock back', async () => {
    await append(1);
    await append(1);
    const events = backend.follow({});
    expect((await events.next()).value).toMatchObject({ event: 'commit' });
    expect(lockOf(lake.folder)).toEqual(['writer.lock']);
    await backend.close();
    expect(lockOf(lake.folder)).toEqual([]);
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('ends the writing that goes on with its own code, and commits nothing of it', async () => {
    await append(5000);
    let began = () => {};
    const reading = new Promise<void>((resolve) => {
      began = resolve;
    });
    const building = backend.reindex({}, { progress: began });
    const ended = expect(building).rejects.toMatchObject(CLOSED);
    await reading;
    await backend.close();
    await ended;
    const again = await openAgain();
    expect(await again.describeIndex({})).toMatchObject({ num_docs: 10, index_generation: 1 });
    await again.close();
  });

  it('lets searches end that were begun before it', async () => {
    const answers = Array.from({ length: 30 }, (_, i) =>
      backend.search({ query: 'title', hydrate: i % 2 === 0 }),
    );
    await backend.close();
    for (const answer of await Promise.all(answers)) expect(answer.total).toBe(10);
  });

  it('ends an export that is not fully read with an error, not as complete', async () => {
    const documents = backend.exportDocuments({ query: '*:*' });
    expect((await documents.next()).done).toBe(false);
    await backend.close();
    await expect(documents.next()).rejects.toMatchObject(CLOSED);
  });

  it('may be called again, at once and later', async () => {
    await Promise.all([backend.close(), backend.close()]);
    await backend.close();
  });

  it('ends a batch whose source hangs, and gives the lock back', async () => {
    const applying = expect(backend.applyBatch({ batch: await hangingBatch() })).rejects;
    await hanging;
    expect(lockOf(lake.folder)).toEqual(['writer.lock']);
    await backend.close();
    await applying.toMatchObject(CLOSED);
    expect(lockOf(lake.folder)).toEqual([]);
  });
});

describe('a signal that stops work', () => {
  it('ends a batch whose source hangs, and gives the lock back', async () => {
    const stop = new AbortController();
    const work = { signal: stop.signal };
    const applying = expect(backend.applyBatch({ batch: await hangingBatch() }, work)).rejects;
    await hanging;
    stop.abort();
    await applying.toMatchObject({ code: 'interrupted' });
    expect(lockOf(lake.folder)).toEqual([]);
    await append(1);
    expect(await backend.sync({})).toMatchObject({ inserted: 1 });
  });
});

describe('a write to an index whose table is missing', () => {
  it.each(['reindex', 'sync'] as const)('%s fails and gives the lock back', async (write) => {
    renameSync(join(lake.folder, 'lake'), join(lake.folder, 'away'));
    await expect(backend[write]({})).rejects.toMatchObject({ name: 'LhsError' });
    expect(lockOf(lake.folder)).toEqual([]);
    renameSync(join(lake.folder, 'away'), join(lake.folder, 'lake'));
    expect(await backend.sync({})).toMatchObject({ snapshots_applied: 0 });
  });
});

describe('after close', () => {
  const calls: [string, (closed: LocalEngine) => Promise<unknown>][] = [
    ['search', (closed) => closed.search({ query: 'x' })],
    ['getKeys', (closed) => closed.getKeys({ keys: [] })],
    ['status', (closed) => closed.status({})],
    ['reindex', (closed) => closed.reindex({})],
    ['sync', (closed) => closed.sync({})],
    ['verify', (closed) => closed.verify({})],
    ['compact', (closed) => closed.compact({})],
    ['dropIndex', (closed) => closed.dropIndex({ index: 't' })],
    ['listIndexes', (closed) => closed.listIndexes()],
    ['listAliases', (closed) => closed.listAliases()],
    ['createIndex', (closed) => closed.createIndex({ definition: 'version: 1' })],
    ['createSavedQuery', (closed) => closed.createSavedQuery({ name: 'q', request: {} })],
    ['openPit', (closed) => closed.openPit({})],
    ['follow', (closed) => closed.follow({}).next()],
    ['exportDocuments', (closed) => closed.exportDocuments({}).next()],
    ['a search of a tenant', (closed) => asTenant(closed, 'a').search({ query: 'x' })],
    [
      'an export of a tenant',
      (closed) => Array.fromAsync(asTenant(closed, 'a').exportDocuments({})),
    ],
  ];
  it.each(calls)('%s says that the engine is closed', async (_, call) => {
    await backend.close();
    await expect(call(backend)).rejects.toMatchObject({
      ...CLOSED,
      message: 'the engine is closed',
    });
  });
});

describe('a process that closes its engine', () => {
  it('ends by itself while it follows, searches and hydrates, without a warning', async () => {
    const script = `
      import { openEngine } from '@lakehouse-search/engine/local/internal';
      const backend = await openEngine(process.argv[1], { create: true, threads: 0 });
      const following = (async () => {
  for await (const event of backend.follow({ index: 't' })) if (event.event === 'waiting') break;
})();
      await following;
      const second = (async () => {
  for await (const _ of backend.follow({ index: 't', poll_ms: 100 }));
})();
      const work = [1, 2, 3].flatMap(() => [
  backend.search({ index: 't', hydrate: true }),
  backend.verify({ index: 't' }),
  backend.sync({ index: 't' }),
]);
      const closed = backend.close();
      const ends = await Promise.allSettled([...work, second, closed]);
      globalThis.gc();
      await new Promise((resolve) => setImmediate(resolve));
      globalThis.gc();
      const codes = new Set(ends.map((end) => end.reason?.code ?? end.status));
      process.stdout.write([...codes].sort().join(' '));
    `;
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', script, join(lake.folder, 'data')],
      { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 },
    );
    const text = { out: '', err: '' };
    child.stdout.on('data', (bytes: Buffer) => {
      text.out += bytes;
    });
    child.stderr.on('data', (bytes: Buffer) => {
      text.err += bytes;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, text.err]).toEqual([0, '']);
    expect(
      text.out.split(' ').filter((word) => !['closed', 'fulfilled', 'index_busy'].includes(word)),
    ).toEqual([]);
  });
});

async function openAgain(): Promise<LocalEngine> {
  const { openEngine } = await import('@lakehouse-search/engine/local/internal');
  return openEngine(join(lake.folder, 'data'), { create: true, threads: 0 });
}
