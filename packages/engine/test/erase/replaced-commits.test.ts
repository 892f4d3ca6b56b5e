/** Commits of a published index that were replaced less than an hour ago, in an erasure. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

let lake: SmallLake;
let home: string;
const index = 't';
beforeEach(async () => {
  lake = await openSmallLake();
  home = join(lake.folder, 'home');
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
  await lake.create(schemaOf({ id: 'string', title: 'string' }));
  await append(0, 50);
  await lake.define(`storage: ${home}\nfields: [{ name: title, type: TEXT, cached: true }]`);
  await lake.backend.reindex({ index });
});
afterEach(async () => {
  await lake.close();
  vi.unstubAllEnvs();
});

async function append(from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({ id: `k${from + i}`, title: 'night' }));
  await lake.append(rows);
}
const keys = (id: string) => [{ identifier: [{ name: 'id', value: id }] }];
const remains = async (id: string) => {
  const report = await lake.backend.checkErasure({ index, keys: keys(id) });
  return report.remains.map(({ place, key }) => [place, key]);
};
/** Replaces all segments. */
async function rewrite(from: number): Promise<void> {
  await append(from, 5);
  await lake.backend.sync({ index });
  await lake.backend.compact({ index });
}

describe('an erasure', () => {
  it('names replaced commits that have the row, and no others', async () => {
    await deleteRows(lake.source, "id = 'k7'");
    await rewrite(100);
    expect(await remains('k7')).toEqual([['published_commit', 0]]);
    expect(await remains('k999')).toEqual([]);
    const reader = await openEngine(`file://${home}/t`, { threads: 0, refreshMs: 3_600_000 });
    expect(await reader.search({ index, query: 'night' })).toMatchObject({ total: 54 });
    const { report } = await lake.backend.runErasure({ index, keys: keys('k7') });
    expect(report.remains).toMatchObject([{ detail: expect.stringContaining('cache') }]);
    await reader.close();
    await lake.backend.runErasure({ index, keys: keys('k7') });
    expect(await remains('k7')).toEqual([]);
    await rewrite(200);
    await rewrite(300);
    expect(await remains('k7')).toEqual([]);
    await lake.backend.runErasure({ index, keys: keys('k7') });
  });

  it('counts what no commit names among them, as it cannot be searched', async () => {
    await deleteRows(lake.source, "id = 'k7'");
    await rewrite(100);
    const families = join(home, 'families');
    const [family] = readdirSync(families);
    const commits = join(families, family!, 'commits');
    for (const name of readdirSync(commits).slice(0, -1)) rmSync(join(commits, name));
    expect(await remains('k999')).toEqual([['published_commit', null]]);
    await lake.backend.runErasure({ index, keys: keys('k7') });
    expect(await remains('k999')).toEqual([]);
    expect(existsSync(commits)).toBe(true);
  });
});
