import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const ROWS = 24_000;
const WORDS = 'the gateway timed out while the pool of connections was drained again'.split(' ');
const title = (id: number) =>
  Array.from(
    { length: 12 },
    (_, i) => `${WORDS[(id * 7 + i * i) % WORDS.length]}${(id * i) % 997}`,
  ).join(' ');

/** An index of several segments of which a merge is large enough for a thread. */
let lake: SmallLake;
let backend: LocalEngine;
beforeEach(async () => {
  lake = await openSmallLake({ memoryBytes: 2 ** 20 });
  backend = lake.backend;
  await lake.create(schema, { rows: [{ id: 0, title: title(0) }] });
});
afterEach(() => lake.close());

const define = async (fields = '') => {
  await lake.build(`fields:\n  - { name: title, type: TEXT }${fields}`);
  const rows = Array.from({ length: ROWS }, (_, i) => ({ id: i + 1, title: title(i + 1) }));
  await lake.append(rows);
};

/** Files of the index, but for the cache of embeddings. */
const files = () => {
  const all = readdirSync(join(lake.folder, 'data', 'indexes'), {
    recursive: true,
    encoding: 'utf8',
  });
  return all.filter((name) => !name.includes('embeddings')).sort();
};

/** Runs work that is stopped at its first report of a phase. */
async function stoppedIn(
  phase: Progress['phase'],
  work: (options: { signal: AbortSignal; progress: (p: Progress) => void }) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  const progress = (progress: Progress) => {
    if (progress.phase === phase) stop.abort();
  };
  const { signal } = stop;
  await expect(work({ signal, progress })).rejects.toMatchObject({ code: 'interrupted' });
}

describe('a reindex that is stopped', () => {
  it('that is stopped while it merges commits nothing and leaves nothing', async () => {
    await define();
    const before = files();
    await stoppedIn('merging', (options) => backend.reindex({}, options));
    expect(await backend.describeIndex({})).toMatchObject({ num_docs: 1, index_generation: 1 });
    expect(files()).toEqual(before);
    expect(await backend.reindex({})).toMatchObject({ doc_count: ROWS + 1 });
  });

  it('with vectors that is stopped during merges commits and leaves nothing', async () => {
    await define('\n  - { name: meaning, type: VECTOR, source: title, index: hnsw }');
    const before = files();
    await stoppedIn('merging', (options) => backend.reindex({}, options));
    expect(files()).toEqual(before);
    expect(await backend.describeIndex({})).toMatchObject({ num_docs: 1, index_generation: 1 });
  });

  it('reports its merges as documents done of all that are merged', async () => {
    await define();
    const reports: Progress[] = [];
    const progress = (progress: Progress) => {
      reports.push(progress);
    };
    await backend.reindex({}, { progress });
    const phases = [...new Set(reports.map(({ phase }) => phase))];
    expect(phases.filter((phase) => phase !== 'flushing')).toEqual([
      'reading',
      'merging',
      'committing',
    ]);
    const merging = reports.filter(({ phase }) => phase === 'merging');
    expect(merging.every(({ docs_total }) => docs_total === ROWS + 1)).toBe(true);
    const done = merging.map(({ docs_done }) => docs_done);
    expect([done[0], done.at(-1)]).toEqual([0, ROWS + 1]);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(await backend.describeIndex({})).toMatchObject({ segments: 1 });
  });
});

describe('a compaction that is stopped', () => {
  it('that is stopped while it merges leaves the index as it was', async () => {
    await define();
    await backend.sync({});
    await lake.append([{ id: ROWS + 1, title: 'the last' }]);
    await backend.sync({});
    const { segments } = await backend.describeIndex({});
    expect(segments).toBeGreaterThan(1);
    const before = files();
    await stoppedIn('merging', (options) => backend.compact({}, options));
    expect(files()).toEqual(before);
    expect(await backend.describeIndex({})).toMatchObject({ segments });
  });
});
