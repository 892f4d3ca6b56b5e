/** Rows of an index and its branch, which share the objects of a store. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const KEYS = [{ identifier: [{ name: 'id', value: 'k7' }] }];
let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
  await lake.create(schemaOf({ id: 'string', title: 'string' }));
  await lake.append(
    Array.from({ length: 20 }, (_, i) => ({
      id: `k${i}`,
      title: i === 7 ? 'zebrafischlein' : `quil${i}`,
    })),
  );
  await lake.define(
    `storage: ${home()}\nfields: [{ name: title, type: TEXT, analyzer: simple, cached: true }]`,
  );
  await lake.backend.reindex({ index: 't' });
  await lake.backend.cloneIndex({ index: 't', name: 'b' });
  await lake.backend.cloneIndex({ index: 'b', name: 'c' });
  await deleteRows(lake.source, "id = 'k7'");
  for (const index of ['t', 'b', 'c']) await lake.backend.sync({ index });
});
afterEach(async () => {
  await lake.close();
  vi.unstubAllEnvs();
});

const home = () => join(lake.folder, 'home');
const erase = (index: string) => lake.backend.runErasure({ index, keys: KEYS });
/** Objects that have the text. */
const holding = (): readonly string[] =>
  readdirSync(home(), { recursive: true, encoding: 'utf8' })
    .map((name) => join(home(), name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes('zebrafischlein'));

describe('an erasure', () => {
  it('says that a branch keeps objects, which go with the erasure of the branches', async () => {
    const [held, ...others] = holding();
    expect(others).toEqual([]);
    for (const [index, branch] of ['tb', 'bc']) {
      const { report } = await erase(index!);
      expect(report.clean).toBe(false);
      expect(report.remains).toEqual([
        {
          ...{ place: 'published_commit', key: 0, where: held, goes: 'erase' },
          detail: expect.stringContaining(`"s000001", kept for branch "${branch}": erase it there`),
        },
      ]);
      expect(holding()).toEqual([held]);
    }
    const { report, receipt } = await erase('c');
    expect(report).toMatchObject({ clean: true, remains: [] });
    expect(receipt.statement.objects?.deleted).toContain(held);
    expect(holding()).toEqual([]);
    for (const index of ['t', 'b', 'c']) {
      expect((await erase(index)).report).toMatchObject({ clean: true });
      expect(await lake.backend.verify({ index })).toMatchObject({ equal: true, faults: [] });
    }
  });

  it('of the branches first leaves the rest to that of their index', async () => {
    for (const index of ['c', 'b', 't']) {
      expect(holding()).toHaveLength(1);
      expect((await erase(index)).report).toMatchObject({ clean: true, remains: [] });
    }
    expect(holding()).toEqual([]);
  });
});
