import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { tableToFormatOne } from '../../../../test/support/format-1.ts';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { compactTable } from '../../../../test/support/maintenance/index.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { contentDigest } from '../../src/index/commits/content-digest.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { isFormatOne } from '../../src/segment/upgrade.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1, 2],
  fields: [
    { id: 1, name: 'repo', required: true, type: { kind: 'string' } },
    { id: 2, name: 'sha', required: true, type: { kind: 'string' } },
    { id: 3, name: 'title', required: false, type: { kind: 'string' } },
    { id: 4, name: 'n', required: false, type: { kind: 'long' } },
  ],
};
const DEFINITION = `key: { partition: [repo], identifier: [sha] }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: n, type: LONG, cached: true }`;

const rowOf = (i: number) => ({
  repo: ['git', 'vim', 'curl'][i % 3],
  sha: i.toString(16).padStart(40, '0'),
  title: i % 11 === 0 ? null : `title ${i} again`,
  n: i % 7 === 0 ? null : BigInt(i),
});

let lake: SmallLake;
let backend: LocalEngine;
const append = (from: number, count: number) =>
  lake.append(Array.from({ length: count }, (_, i) => rowOf(from + i)));
const directory = () => openLocalDirectory(generationOf(lake.folder));
const segments = () => readCommit(directory())!.segments;
const old = () => segments().filter(isFormatOne).length;
const digest = () => {
  const snapshot = openSnapshot(directory());
  try {
    expect(checkIndex(snapshot)).toEqual([]);
    return contentDigest(snapshot).digest;
  } finally {
    snapshot.release();
  }
};

/** An index of several segments of format 1, with deleted rows; 0: all of them. */
async function makeOld(shards: number, spared = -1): Promise<void> {
  await lake.create(schema, { formatVersion: 2 });
  await append(0, 300);
  await lake.build(`${DEFINITION}\nsharding: { shards: ${shards} }`);
  for (const from of [300, 340]) {
    await append(from, 40);
    await deleteRows(lake.source, `n > ${from - 200} AND n < ${from - 190}`);
    await backend.sync({});
  }
  await tableToFormatOne(directory(), lake.source, (segment) => segment !== spared);
}

beforeEach(async () => {
  lake = await openSmallLake();
  backend = lake.backend;
});
afterEach(() => lake.close());

describe.each([1, 3])('an index of format 1 with %i shards', (shards) => {
  it('is searched, verified and synced as it is', async () => {
    await makeOld(shards);
    expect(old()).toBe(segments().length);
    expect(await backend.verify({})).toMatchObject({ equal: true });
    const before = await lake.documents();
    await compactTable(lake.source);
    expect(await backend.sync({})).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
    expect(await lake.documents()).toEqual(before);
    await append(380, 30);
    expect(await backend.sync({})).toMatchObject({ inserted: 30, updated: 0, deleted: 0 });
    expect([old() > 0, old() < segments().length]).toEqual([true, true]);
    expect(await backend.verify({})).toMatchObject({ equal: true, stale: 0 });
    digest();
  });

  it('becomes one of format 3 with the same documents and digest', async () => {
    await makeOld(shards);
    const [documents, before] = [await lake.documents(), digest()];
    const plan = await backend.upgrade({ plan: true });
    const cores = segments().flatMap(({ components }) =>
      components.filter(({ kind }) => kind === 'core'),
    );
    expect(plan).toMatchObject({
      format_before: 1,
      format_after: 3,
      segments: segments().length,
      segments_upgraded: segments().length,
      bytes_rewritten: cores.reduce((sum, { length }) => sum + length, 0),
    });
    expect(plan.bytes_after).toBeUndefined();
    expect(old()).toBe(segments().length);
    const progress: number[] = [];
    const done = await backend.upgrade(
      {},
      {
        progress: ({ phase, docs_done, docs_total }) => {
          expect([phase, docs_total]).toEqual(['upgrading', 380]);
          progress.push(docs_done);
        },
      },
    );
    expect(done).toMatchObject({ ...plan, took_ms: expect.any(Number) });
    expect(done.bytes_after).toBeLessThan(done.bytes_before);
    expect([progress.at(-1), progress.toSorted((a, b) => a - b)]).toEqual([380, progress]);
    expect(old()).toBe(0);
    expect([await lake.documents(), digest()]).toEqual([documents, before]);
    expect(await backend.verify({})).toMatchObject({
      equal: true,
      digest: { index: before, table: before },
    });
    expect(await backend.upgrade({})).toMatchObject({ format_before: 3, segments_upgraded: 0 });
  });

  it('tells changed rows from unchanged ones in every mixture of formats', async () => {
    await makeOld(shards, 1);
    for (const step of ['mixed', 'merged', 'upgraded'] as const) {
      if (step === 'merged') await backend.compact({});
      if (step === 'upgraded') await backend.upgrade({});
      await compactTable(lake.source);
      expect(await backend.sync({}), step).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
      expect(await backend.verify({}), step).toMatchObject({ equal: true, stale: 0 });
      digest();
    }
    expect(old()).toBe(0);
    const documents = await lake.documents();
    await backend.reindex({});
    expect(await lake.documents()).toEqual(documents);
  });
});

describe('an upgrade', () => {
  it('goes on where a stopped one ended', async () => {
    await makeOld(1);
    const before = [await lake.documents(), digest()];
    const all = segments().length;
    const stop = new AbortController();
    const progress = ({ docs_done }: { readonly docs_done: number }) => {
      if (docs_done > 0) stop.abort();
    };
    await expect(backend.upgrade({}, { signal: stop.signal, progress })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(old()).toBeGreaterThan(0);
    expect(old()).toBeLessThan(all);
    expect([await lake.documents(), digest()]).toEqual(before);
    const left = old();
    expect(await backend.upgrade({})).toMatchObject({ segments_upgraded: left });
    expect([old(), await lake.documents(), digest()]).toEqual([0, ...before]);
  });

  it('leaves an open point in time as it is', async () => {
    await makeOld(1);
    const { pit_id } = await backend.openPit({ index: 't' });
    const page = () => backend.search({ query: 'title:again', pit_id, limit: 5 });
    const before = await page();
    await backend.upgrade({});
    expect(await page()).toMatchObject({ hits: before.hits, total: before.total });
  });
});
