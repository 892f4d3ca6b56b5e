import type { ReindexResponse } from '@lakehouse-search/contract';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { describe, expect, it } from 'vitest';
import { StagedBuilds } from './staged-builds.ts';

const MADE: ReindexResponse = {
  ...{ doc_count: 3, snapshot: '7', index_generation: 2, bytes: 9, took_ms: 1 },
};
const STAGED = { generation: 2, docs: 3, snapshot: '7' };

/** A backend whose build calls `built` before its generation is staged. */
const backend = (built = () => {}): Pick<LocalEngine, 'stageReindex' | 'stageAlter'> => ({
  stageAlter: () => Promise.reject(new Error('no definition was sent')),
  stageReindex: async (_, { signal }, whenStaged) => {
    built();
    await whenStaged(STAGED, signal);
    return MADE;
  },
});
const QUIET = { progress: () => {}, staged: () => {} };

describe('a build that waits for the control plane', () => {
  it('has the response of the reindex when it is promoted', async () => {
    const builds = new StagedBuilds(backend());
    const work = builds.build({ index: 'notes' }, QUIET, {});
    expect(await builds.end('notes', 2, true)).toEqual(MADE);
    await work;
    expect(await builds.end('notes', 2, false)).toBeUndefined();
  });

  it('is discarded when its caller is lost', async () => {
    const stop = new AbortController();
    const builds = new StagedBuilds(backend());
    const work = builds.build({ index: 'notes' }, QUIET, { signal: stop.signal });
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is discarded at once when its caller was lost before it was staged', async () => {
    const stop = new AbortController();
    const builds = new StagedBuilds(backend(() => stop.abort()));
    const work = builds.build({ index: 'notes' }, QUIET, { signal: stop.signal });
    await expect(work).rejects.toMatchObject({ code: 'interrupted' });
    await expect(builds.end('notes', 2, true)).rejects.toMatchObject({ code: 'not_found' });
  });
});
