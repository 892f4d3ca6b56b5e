import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FollowEvent } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { createTable, deleteRows, openTable, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowedTable, next } from '../../../../test/support/followed-table.ts';
import {
  changeColumns,
  compactTable,
  expireSnapshots,
  setRef,
} from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';

let table: FollowedTable;
beforeEach(async () => {
  table = await new FollowedTable().open();
});
afterEach(() => table.dispose());

const follow = (signal?: AbortSignal) =>
  table.backend.follow({}, { signal })[Symbol.asyncIterator]();
const currentSnapshot = async () => {
  const source = await openTable(table.config);
  await source.close();
  return source.currentSnapshotId!;
};

describe('changes of the table during following', () => {
  it('comes as one event for each snapshot, and then there is quiet', async () => {
    const events = follow();
    expect(await next(events, 'waiting')).toEqual({
      event: 'waiting',
      at: '2025-11-21T10:41:00.000Z',
      every_ms: 5000,
    });
    await table.append(4, 5);
    await deleteRows(table.config, 'id = 1');
    await upsertRows(table.config, { kind: 'rows', rows: [{ id: 2, title: 'another' }] });
    const first = await next(events, 'commit');
    expect(first).toMatchObject({ operation: 'append', inserted: 2, updated: 0, deleted: 0 });
    expect(await next(events, 'commit')).toMatchObject({ inserted: 0, updated: 0, deleted: 1 });
    const third = await next(events, 'commit');
    expect(third).toMatchObject({ inserted: 0, updated: 1, deleted: 0 });
    expect(third.snapshot).toBe(String(await currentSnapshot()));
    expect(await table.ids()).toEqual([2, 3, 4, 5]);
    await next(events, 'waiting', ['merge']);
    await compactTable(table.config);
    expect(await next(events, 'commit')).toMatchObject({
      operation: 'replace',
      inserted: 0,
      updated: 0,
      deleted: 0,
    });
    await next(events, 'waiting', ['merge']);
    await events.return?.(undefined);
    expect(table.leftovers()).toEqual([]);
  });

  it('comes as one commit per second to an index that is published', async () => {
    await table.dispose();
    table = await new FollowedTable().open('storage: ./home\n');
    const events = follow();
    await next(events, 'waiting');
    for (let id = 4; id < 14; id++) await table.append(id);
    expect(await next(events, 'commit')).toMatchObject({
      ...{ operation: null, snapshots: 10, inserted: 10 },
      snapshot: String(await currentSnapshot()),
    });
    const { slept } = table.clock;
    const before = slept.length;
    for (let id = 14; id < 24; id++) await table.append(id);
    expect(await next(events, 'commit', ['merge'])).toMatchObject({ snapshots: 10 });
    expect(slept.slice(before)[0]).toBe(1000);
    const source = await openTable(table.config);
    await source.close();
    for (const { id } of source.snapshots)
      await table.backend.search({ query: '*:*', min_snapshot: String(id) });
  });

  it('a rollback and forgotten snapshots are healed in one step, and told', async () => {
    const start = await currentSnapshot();
    const events = follow();
    await next(events, 'waiting');
    await table.append(4);
    await next(events, 'commit');
    await next(events, 'waiting');
    await setRef(table.config, 'main', 'branch', start);
    expect(await next(events, 'commit')).toMatchObject({
      snapshot: String(start),
      healed: { reason: 'rolled_back', inserted: 0, updated: 0, deleted: 1 },
    });
    await next(events, 'waiting');
    await table.append(5);
    await table.append(6);
    await expireSnapshots(table.config, Date.now() + 60_000);
    expect(await next(events, 'commit')).toMatchObject({
      healed: { reason: 'snapshot_expired', inserted: 2, updated: 0, deleted: 0 },
    });
    expect(await table.ids()).toEqual([1, 2, 3, 5, 6]);
    await events.return?.(undefined);
  });

  it('looks at once after a change, then ever less often, up to the given pause', async () => {
    const { slept } = table.clock;
    slept.length = 0;
    const events = table.backend.follow({ poll_ms: 2000 })[Symbol.asyncIterator]();
    await next(events, 'waiting');
    const asked = events.next();
    await expect.poll(() => slept.length).toBeGreaterThan(6);
    expect(slept.slice(0, 6)).toEqual([500, 1000, 2000, 2000, 2000, 2000]);
    await table.append(4);
    expect((await asked).value).toMatchObject({ event: 'commit' });
    slept.length = 0;
    await next(events, 'waiting');
    expect(slept[0]).toBe(250);
    await events.return?.(undefined);
  });
});

describe('temporary errors during following', () => {
  const AWAY = () => join(table.folder, 'away');

  it('an outage of the catalog is survived, however long', async () => {
    const events = follow();
    await next(events, 'waiting');
    renameSync(table.config.catalog.warehouse, AWAY());
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      const { code, message, in_ms } = await next(events, 'retry');
      expect(code).toBe('source_unreachable');
      expect(message).toContain(table.config.catalog.warehouse);
      pauses.push(in_ms);
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    renameSync(AWAY(), table.config.catalog.warehouse);
    await next(events, 'waiting');
    await table.append(4);
    expect(await next(events, 'commit')).toMatchObject({ inserted: 1 });
    await events.return?.(undefined);
  });

  it('a catalog that is away at the beginning is waited for too', async () => {
    renameSync(table.config.catalog.warehouse, AWAY());
    const events = follow();
    expect(await next(events, 'retry')).toMatchObject({ code: 'source_not_found' });
    renameSync(AWAY(), table.config.catalog.warehouse);
    await next(events, 'waiting', ['retry']);
    await events.return?.(undefined);
  });

  it('a table that is gone for a while is no end', async () => {
    const folder = join(table.config.catalog.warehouse, 'ops', 'notes');
    const events = follow();
    await next(events, 'waiting');
    renameSync(folder, AWAY());
    expect(await next(events, 'retry')).toMatchObject({ code: 'source_not_found' });
    renameSync(AWAY(), folder);
    await next(events, 'waiting', ['retry']);
    await events.return?.(undefined);
  });

  it('data files that are away are waited for a few times', async () => {
    const events = follow();
    await next(events, 'waiting');
    const data = join(table.config.catalog.warehouse, 'ops', 'notes', 'data');
    await table.append(4);
    renameSync(data, AWAY());
    expect(await next(events, 'retry')).toMatchObject({ code: 'source_invalid' });
    renameSync(AWAY(), data);
    expect(await next(events, 'commit', ['retry'])).toMatchObject({ inserted: 1 });
    await next(events, 'waiting');
    await table.append(5);
    renameSync(data, AWAY());
    await expect(next(events, 'commit', ['retry'])).rejects.toMatchObject({
      code: 'source_invalid',
    });
    expect(table.leftovers()).toEqual([]);
  });

  it('another writer is waited for, and named', async () => {
    const other = await openEngine(table.folder, { create: true, threads: 0 });
    const holder = other.follow({})[Symbol.asyncIterator]();
    await table.append(4);
    await next(holder, 'commit');
    const events = follow();
    const { code, message } = await next(events, 'retry');
    expect(code).toBe('index_busy');
    expect(message).toContain(`process ${process.pid} on "`);
    await holder.return?.(undefined);
    await next(events, 'waiting', ['retry']);
    await table.append(5);
    expect(await next(events, 'commit')).toMatchObject({ inserted: 1 });
    await events.return?.(undefined);
    await other.close();
  });
});

describe('the end of following', () => {
  it.each([
    [
      'an index that was never built',
      'index_not_built',
      async () => {
        rmSync(table.indexFolder, { recursive: true });
      },
    ],
    [
      'a column of the definition that is dropped',
      'schema_changed',
      async () => {
        await changeColumns(table.config, { kind: 'drop', name: 'title' });
        await deleteRows(table.config, 'id = 1');
      },
    ],
    [
      'another table under its name',
      'source_changed',
      async () => {
        rmSync(join(table.config.catalog.warehouse, 'ops'), { recursive: true });
        const source = { schema: SCHEMA, formatVersion: 2 as const };
        await createTable(table.config.catalog, 'ops.notes', source);
      },
    ],
    [
      'an index that is dropped',
      'index_not_found',
      async () => {
        await table.backend.dropIndex({ index: 'notes' });
      },
    ],
  ])('%s', async (_what, code, happens) => {
    const events = follow();
    await next(events, 'waiting');
    await happens();
    await expect(next(events, 'commit')).rejects.toMatchObject({ code });
  });
});

const SCHEMA = schemaOf({ id: { kind: 'long' as const }, title: { kind: 'string' as const } });

describe('a stop', () => {
  const stopped = async (at: (event: FollowEvent) => boolean, prepare: () => Promise<unknown>) => {
    const controller = new AbortController();
    await prepare();
    const seen: string[] = [];
    for await (const event of table.backend.follow({}, { signal: controller.signal })) {
      seen.push(event.event);
      if (at(event)) controller.abort();
    }
    return seen;
  };
  const isFree = async () => {
    expect(table.leftovers()).toEqual([]);
    await table.append(90);
    expect(await table.backend.sync({})).toMatchObject({ inserted: expect.any(Number) });
  };

  it('while it waits', async () => {
    expect(
      await stopped(
        ({ event }) => event === 'waiting',
        async () => {},
      ),
    ).toEqual(['waiting']);
    await isFree();
  });

  it('while the table is away', async () => {
    const { warehouse } = table.config.catalog;
    const prepare = async () => renameSync(warehouse, `${warehouse}-away`);
    expect(await stopped(({ event }) => event === 'retry', prepare)).toEqual(['retry']);
    renameSync(`${warehouse}-away`, warehouse);
    await isFree();
  });

  it('stops between many snapshots: commits stay, the rest waits for the next call', async () => {
    const prepare = async () => {
      for (let id = 10; id < 18; id++) await table.append(id);
    };
    const seen = await stopped(({ event }) => event === 'commit', prepare);
    expect(seen.every((event) => event === 'commit')).toBe(true);
    expect(seen.length).toBeLessThan(8);
    expect(await table.ids()).toEqual([1, 2, 3, ...seen.map((_, i) => 10 + i)]);
    await isFree();
    expect((await table.ids()).length).toBe(12);
  });

  it('before it begins', async () => {
    const events = table.backend.follow({}, { signal: AbortSignal.abort() });
    expect(await Array.fromAsync(events)).toEqual([]);
    await isFree();
  });

  it('by the caller who breaks off', async () => {
    for (let id = 10; id < 14; id++) await table.append(id);
    for await (const { event } of table.backend.follow({})) if (event === 'commit') break;
    await isFree();
  });
});

describe('following beside other work', () => {
  it('yields to a reindex and continues with the new generation', async () => {
    const events = follow();
    await next(events, 'waiting');
    const other = await openEngine(table.folder, { create: true, threads: 0 });
    expect(await other.reindex({})).toMatchObject({ index_generation: 2 });
    await table.append(4);
    expect(await next(events, 'commit', ['waiting'])).toMatchObject({ inserted: 1 });
    expect(await table.backend.describeIndex({})).toMatchObject({
      index_generation: 2,
      num_docs: 4,
    });
    await events.return?.(undefined);
    await other.close();
  });

  it('merges in the background without delaying a commit', async () => {
    const events = follow();
    await next(events, 'waiting');
    for (let id = 10; id < 22; id++) await table.append(id);
    for (let id = 10; id < 22; id++) await next(events, 'commit', ['merge', 'waiting']);
    await next(events, 'waiting', ['merge']);
    const { segments } = await table.backend.describeIndex({});
    expect(segments).toBeLessThan(9);
    expect((await table.ids()).length).toBe(15);
    await events.return?.(undefined);
  });

  it('refuses an unreasonable pause', async () => {
    const events = table.backend.follow({ poll_ms: 0 });
    await expect(Array.fromAsync(events)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
