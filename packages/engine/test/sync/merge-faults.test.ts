import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FollowEvent, LhsError } from '@lakehouse-search/contract';
import { openTable } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { SYSTEM_CLOCK } from '../../src/base/time/clock.ts';
import type { MergeRunner } from '../../src/index/merges/background-merges.ts';
import { inlineRunner } from '../../src/index/merges/merge-runners.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import type { KnownIndex } from '../../src/open/open-index.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { Follower } from '../../src/sync/follow/follow-index.ts';
import { SyncSession } from '../../src/sync/sync.ts';

const SCHEMA = schemaOf({ id: 'long' });
const FIELDS = 'fields: [{ name: id, type: LONG }]';

describe('a merge that fails', () => {
  it('is one event of the follower, which goes on', async () => {
    const lake = await openSmallLake();
    const append = (id: number) => lake.append([{ id }]);
    await lake.create(SCHEMA);
    await append(0);
    await lake.build(FIELDS);
    const indexes = join(lake.folder, 'data', 'indexes');
    const { path } = currentGeneration(join(indexes, readdirSync(indexes)[0]))!;
    const source = `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    const text = `version: 1\nindex: t\n${source}\n${FIELDS}\nkey: { identifier: [id] }\n`;
    const definition = requireDefinition(text, ANALYZER_CATALOG);
    const directory = openLocalDirectory(path);
    const models = { index: 't', folder: path, baseDir: path, openEmbedder: tinyModels().open };
    let failures = 0;
    const mergeRunner: MergeRunner = (job, signal, report) => {
      if (++failures > 2) return inlineRunner(directory)(job, signal, report);
      return Promise.reject(new LhsError('disk_full', 'no room for a merge'));
    };
    const noted: (string | null)[] = [];
    const noteMerge = (fault: Error | null) => noted.push(fault?.message ?? null);
    const base = { directory, definition, definitionVersion: 1, models };
    const options = { ...base, mergeRunner, noteMerge };
    const host = {
      clock: SYSTEM_CLOCK,
      known: () => ({ definition, registered: { name: 't', uuid: 'u' } }) as unknown as KnownIndex,
      commitVersion: () => 'same',
      openTable: () => openTable(lake.source),
      publishes: () => false,
      mustYield: () => false,
      open: async () => {
        const session = SyncSession.open(options);
        return { session, close: () => session.close() };
      },
    };
    const follower = new Follower(host, () => 10);
    const events: FollowEvent[] = [];
    let id = 0;
    for await (const event of follower.events) {
      events.push(event);
      if (event.event === 'merge') break;
      if (event.event === 'waiting' || event.event === 'merge_failed') await append(++id);
      if (event.event === 'commit' && id < 60) await append(++id);
    }
    await follower.close();
    const failed = events.filter(({ event }) => event === 'merge_failed');
    expect(failed).toMatchObject([{ code: 'disk_full', message: 'no room for a merge' }]);
    expect(noted.slice(0, 2)).toEqual(['no room for a merge', null]);
    expect(new Set(noted.slice(2))).toEqual(new Set([null]));
    expect(events.at(-1)).toMatchObject({ event: 'merge' });
    expect(events.some(({ event }) => event === 'retry')).toBe(false);
    await lake.close();
  });
});
