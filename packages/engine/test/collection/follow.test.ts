import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCollection } from '@lakehouse-search/engine/collection';
import { changeRows, expireSnapshots } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COUNTERS } from './columns.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-collection-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openCounters = () => openCollection(folder, 'counters', COUNTERS);
const table = () => ({
  catalog: { type: 'filesystem' as const, warehouse: join(folder, 'warehouse') },
  table: 'collections.counters',
});
const row = (id: string, n: number) => ({ id, n, who: 'test' });

describe('following a collection', () => {
  it('yields what this and other programs change, once searches find it', async () => {
    await using counters = await openCounters();
    const { snapshot: from } = await counters.upsert([row('a', 1), row('b', 1)]);
    const changes = counters.follow({ from, pollMs: 10 });
    const first = changes.next();
    const { snapshot } = await counters.upsert(row('c', 1));
    expect((await first).value).toEqual({ snapshot, upserts: [row('c', 1)], deletes: [] });
    await changeRows(table(), { upserts: [row('a', 2)], deletes: [{ id: 'b' }] });
    expect((await changes.next()).value).toMatchObject({ upserts: [row('a', 2)], deletes: ['b'] });
    expect((await counters.search('who:test')).total).toBe(2);
  });

  it('goes on after a snapshot, begins with all rows, and ends with its signal', async () => {
    await using counters = await openCounters();
    const { snapshot } = await counters.upsert([row('a', 1), row('b', 1)]);
    await counters.upsert([row('a', 2), row('a', 3), row('c', 1)]);
    const stop = new AbortController();
    const later = counters.follow({ from: snapshot, signal: stop.signal });
    const { value } = await later.next();
    expect(value?.upserts.toSorted((x, y) => (x.id < y.id ? -1 : 1))).toEqual([
      row('a', 3),
      row('c', 1),
    ]);
    const end = later.next();
    stop.abort();
    expect(await end).toMatchObject({ done: true });
    const all = await counters.follow({ from: null }).next();
    expect(all.value?.upserts).toHaveLength(3);
  });

  it('ends with the collection, and refuses a snapshot that has expired', async () => {
    const counters = await openCounters();
    const { snapshot } = await counters.upsert(row('a', 1));
    await counters.upsert(row('a', 2));
    await expireSnapshots(table(), { keep: 1 });
    const expired = counters.follow({ from: snapshot }).next();
    await expect(expired).rejects.toMatchObject({ name: 'LhsError', code: 'not_found' });
    const end = counters.follow().next();
    await counters.close();
    expect(await end).toMatchObject({ done: true });
  });
});
