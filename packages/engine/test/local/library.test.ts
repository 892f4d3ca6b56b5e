/** What a program expects of a library: folders, threads, scopes and loops. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, openTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const ROWS = 1203;
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, title: (from + i) % 3 ? 'a' : 'a b' }));

let lake: SmallLake;
let dataDir: string;
beforeAll(async () => {
  lake = await openSmallLake();
  dataDir = lake.backend.dataDir;
  await lake.create(schema, { rows: rows(1, ROWS) });
  await lake.build('fields:\n  - { name: title, type: TEXT, cached: true }');
});
afterAll(() => lake.close());

describe('a data folder', () => {
  it('that is missing is refused and not made, unless the caller wants a new one', async () => {
    const missing = join(lake.folder, 'no', 'typo');
    const refused = openEngine(missing);
    const error = { code: 'not_found', message: `there is no data folder "${missing}"` };
    await expect(refused).rejects.toMatchObject(error);
    await using backend = await openEngine(missing, { create: true });
    expect(await backend.listIndexes()).toEqual([]);
    expect(existsSync(missing)).toBe(false);
  });

  it('is searched in a thread of its own by default, and in none on request', async () => {
    const threads = vi.fn();
    process.on('worker', threads);
    for (const [options, count] of [
      [{ threads: 0 }, 0],
      [{}, 1],
    ] as const) {
      await using backend = await openEngine(dataDir, options);
      expect((await backend.search({ query: 'title:a' })).total).toBe(ROWS);
      expect(threads).toHaveBeenCalledTimes(count);
    }
    process.off('worker', threads);
  });
});

describe('the end of a scope', () => {
  it('closes an engine and a table', async () => {
    let backend: Awaited<ReturnType<typeof openEngine>>;
    {
      await using opened = await openEngine(dataDir, { threads: 0 });
      await using table = await openTable(lake.source);
      expect(table.currentSnapshotId).not.toBeNull();
      backend = opened;
    }
    await expect(backend.listIndexes()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a loop over hits', () => {
  const idOf = ({ coordinates }: { coordinates: { identifier: readonly { value: string }[] } }) =>
    Number(coordinates.identifier[0].value);
  const idsOf = async (request: SearchRequest) => {
    const hits = await Array.fromAsync(lake.backend.hits(request));
    return hits.map(idOf);
  };
  const all = Array.from({ length: ROWS }, (_, i) => i + 1);

  it('has each hit once, in order, or the first of them', async () => {
    const ids = await idsOf({ query: 'title:a' });
    expect(ids.toSorted((a, b) => a - b)).toEqual(all);
    expect(await idsOf({ query: 'title:b' })).toHaveLength(Math.floor(ROWS / 3));
    const sort = [{ field: '_key', desc: true }];
    const down = await idsOf({ query: 'title:a', sort });
    const { hits } = await lake.backend.search({ query: 'title:a', sort, limit: ROWS });
    expect(down).toEqual(hits.map(idOf));
    for (const limit of [0, 7, 500, 501, 1000]) {
      expect(await idsOf({ query: 'title:a', sort, limit })).toEqual(down.slice(0, limit));
    }
    expect(await idsOf({ query: 'title:a', sort, limit: 600, offset: 5 })).toEqual(
      down.slice(5, 605),
    );
  });

  it('reads one state, and closes its point in time when it is left', async () => {
    const closePit = vi.spyOn(lake.backend, 'closePit');
    const seen: number[] = [];
    for await (const hit of lake.backend.hits({ query: 'title:a' })) {
      seen.push(idOf(hit));
      if (seen.length !== 10) continue;
      await deleteRows(lake.source, 'id > 900');
      await lake.backend.sync({});
      expect((await lake.backend.search({ query: 'title:a' })).total).toBe(900);
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(all);
    for await (const _ of lake.backend.hits({ query: 'title:a' })) break;
    expect(closePit).toHaveBeenCalledTimes(2);
    expect(await Promise.all(closePit.mock.results.map(({ value }) => value))).toEqual([
      { closed: true },
      { closed: true },
    ]);
  });

  it('throws instead of leaving a shard out', async () => {
    const search = vi.spyOn(lake.backend, 'search');
    const partial = {
      ...(await lake.backend.search({ query: 'title:a' })),
      partial: true,
    } as const;
    search.mockResolvedValueOnce(partial);
    await expect(idsOf({ query: 'title:a' })).rejects.toMatchObject({ code: 'unreachable' });
    search.mockRestore();
  });

  it('ends when its call is aborted', async () => {
    const stop = new AbortController();
    const read = async () => {
      for await (const _ of lake.backend.hits({ query: 'title:a' }, { signal: stop.signal }))
        stop.abort();
    };
    await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
  });
});
