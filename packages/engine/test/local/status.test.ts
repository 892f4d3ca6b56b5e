import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, openTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowedTable, next } from '../../../../test/support/followed-table.ts';
import {
  expireSnapshots,
  setProperties,
  setRef,
} from '../../../../test/support/maintenance/index.ts';

const DAY = 86_400_000;
const AGE = 'history.expire.max-snapshot-age-ms';
const KEEP = 'history.expire.min-snapshots-to-keep';

let table: FollowedTable;
beforeEach(async () => {
  table = await new FollowedTable().open();
});
afterEach(() => table.dispose());

/** The status at a moment; a look at the table takes no time. */
async function statusAt(now: number) {
  const clock = {
    now: () => now,
    ticks: () => now,
    random: () => 0,
    sleep: () => new Promise<void>(() => {}),
  };
  const backend = await openEngine(table.folder, { create: true, threads: 0, clock });
  try {
    return await backend.status({});
  } finally {
    await backend.close();
  }
}
const newest = async () => {
  const source = await openTable(table.config);
  await source.close();
  return source.snapshot(source.currentSnapshotId!);
};
const iso = (ms: number) => new Date(ms).toISOString();

describe('the lag in index status', () => {
  it('is told in snapshots, rows and seconds', async () => {
    const first = await newest();
    const fresh = await statusAt(first.timestampMs + 5000);
    expect(fresh).toEqual({
      index: 'notes',
      status: 'live',
      index_generation: 1,
      num_docs: 3,
      deleted_docs: 0,
      segments: 1,
      bytes: expect.any(Number),
      shards: [
        {
          shard: 0,
          num_docs: 3,
          deleted_docs: 0,
          segments: 1,
          bytes: fresh.bytes,
          index_generation: 1,
          snapshot: String(first.id),
        },
      ],
      generations: [
        {
          ...{ generation: 1, state: 'live', definition_version: 1 },
          ...{ snapshot: String(first.id), num_docs: 3, bytes: expect.any(Number) },
        },
      ],
      pending_merges: 0,
      checkpoint: { snapshot: String(first.id), committed_at: expect.any(String) },
      head: { snapshot: String(first.id), at: iso(first.timestampMs) },
      lag: { snapshots: 0, rows: { added: 0, deleted: 0 }, seconds: 0 },
    });
    await table.append(4, 5);
    const second = await newest();
    await table.append(6);
    await deleteRows(table.config, 'id < 3');
    const head = await newest();
    expect(await statusAt(second.timestampMs + 40_000)).toMatchObject({
      head: { snapshot: String(head.id), at: iso(head.timestampMs) },
      lag: { snapshots: 3, rows: { added: 3, deleted: 2 }, seconds: 40 },
    });
  });

  it('and what the next sync does instead of stepping', async () => {
    const first = await newest();
    await table.append(4);
    await table.backend.sync({});
    await setRef(table.config, 'main', 'branch', first.id);
    const back = await statusAt(Date.now());
    expect(back).toMatchObject({ heals: 'rolled_back', lag: { snapshots: 1, rows: null } });
    await table.append(5);
    expect(await statusAt(Date.now())).toMatchObject({ heals: 'diverged' });
    await expireSnapshots(table.config, Date.now() + 60_000);
    expect(await statusAt(Date.now())).toMatchObject({ heals: 'snapshot_expired' });
  });

  it('before the first reindex too', async () => {
    const other = join(table.folder, 'other');
    const backend = await openEngine(other, { create: true, threads: 0 });
    const definition = `version: 1
index: unbuilt
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
fields: [{ name: title, type: TEXT }]
`;
    await backend.createIndex({ definition, base_dir: table.folder });
    const status = await backend.status({});
    expect(status).toMatchObject({ status: 'created', num_docs: 0, checkpoint: null });
    expect(status.head?.snapshot).toBe(String((await newest()).id));
    expect(status).not.toHaveProperty('lag');
    await backend.close();
  });
});

describe('obstacles in index status', () => {
  it('a table that is away', async () => {
    const { warehouse } = table.config.catalog;
    renameSync(warehouse, `${warehouse}-away`);
    const status = await statusAt(Date.now());
    expect(status).toMatchObject({
      num_docs: 3,
      source_error: {
        code: 'source_not_found',
        message: expect.stringContaining(warehouse),
      },
    });
    expect(status).not.toHaveProperty('head');
  });

  it('another process that writes, by pid and host; a dead one is none', async () => {
    await table.append(4);
    const events = table.backend.follow({})[Symbol.asyncIterator]();
    await next(events, 'commit');
    const { writer } = await statusAt(Date.now());
    expect(writer).toEqual({ pid: process.pid, host: expect.any(String) });
    await events.return?.(undefined);
    expect(await statusAt(Date.now())).not.toHaveProperty('writer');
    const dead = { pid: 1, host: writer!.host, boot_id: 'another', started: '', token: 'x' };
    writeFileSync(join(table.indexFolder, 'writer.lock'), JSON.stringify(dead));
    expect(await statusAt(Date.now())).not.toHaveProperty('writer');
  });
});

describe('the history of a table in index status', () => {
  it('is not told where the table says nothing of it, or forgets nothing', async () => {
    await table.append(4);
    expect(await statusAt(Date.now())).not.toHaveProperty('history');
    await setProperties(table.config, { [AGE]: '1000', 'gc.enabled': 'false' });
    expect(await statusAt(Date.now())).not.toHaveProperty('history');
  });

  it('holds the newest snapshots whatever their age', async () => {
    await setProperties(table.config, { [KEEP]: '2' });
    await table.append(4);
    expect((await statusAt(Date.now() + 30 * DAY)).history).toEqual({
      max_age_ms: 5 * DAY,
      min_snapshots: 2,
      checkpoint_expires_at: null,
      at_risk: false,
    });
    const { timestampMs } = (await openTable(table.config)).snapshots[0];
    await table.append(5);
    const expires = iso(timestampMs + 5 * DAY);
    const early = await statusAt(timestampMs + 3.9 * DAY);
    expect(early.history).toMatchObject({ checkpoint_expires_at: expires, at_risk: false });
    const late = await statusAt(timestampMs + 4.1 * DAY);
    expect(late.history).toMatchObject({ checkpoint_expires_at: expires, at_risk: true });
  });

  it('holds what a tag is at', async () => {
    const first = await newest();
    await setProperties(table.config, { [AGE]: String(3_600_000) });
    await table.append(4);
    const at = first.timestampMs + 3_000_000;
    expect((await statusAt(at)).history).toMatchObject({ max_age_ms: 3_600_000, at_risk: true });
    expect((await statusAt(first.timestampMs)).history).toMatchObject({ at_risk: false });
    await setRef(table.config, 'kept', 'tag', first.id);
    expect((await statusAt(at)).history).toMatchObject({
      checkpoint_expires_at: null,
      at_risk: false,
    });
  });
});
