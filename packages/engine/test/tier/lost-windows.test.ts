/** Cold windows whose objects the store has lost: their bytes are nowhere but in the table. */
import { upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundleKey, type PublishedCommit } from '../../src/home/chain.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { type ColdLake, coldStore, OLD, rows } from './cold-lake.ts';

const DAY = 86_400_000;
const store = coldStore();
let cold: ColdLake;
beforeEach(async () => {
  cold = await store.open();
  await cold.build();
  await cold.move({ cool: OLD.slice(0, 2) });
  // a second bundle, of which a third window has a part
  await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(60, 65, 'late disk') });
  for (const index of ['plain', 't']) await cold.backend.sync({ index });
  await cold.move({ cool: OLD.slice(2) });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await cold.close();
});

const bucket = () => store.server.buckets.get('frozen')!;
/** Keys of the bundles of the newest commit, the oldest first. */
function bundles(): readonly string[] {
  const newest = cold.objects().findLast((key) => key.includes('/commits/'))!;
  const commit = JSON.parse(bucket().get(newest)!.bytes.toString()) as PublishedCommit;
  return commit.bundles.map(
    (bundle) => newest.split('families/')[0] + bundleKey(commit.uuid, bundle),
  );
}

function damage(key: string): void {
  const bytes = Buffer.from(bucket().get(key)!.bytes);
  for (let at = 0; at < bytes.length / 2; at += 100) bytes[at]! ^= 1;
  store.server.put('frozen', key, bytes);
}

const REBUILT = 'is lost or damaged: a repair builds the cold windows';
const HARMS = {
  lost: (key: string) => void bucket().delete(key),
  damaged: damage,
  cut: (key: string) => store.server.put('frozen', key, Buffer.from('cut')),
};

/** Both indexes have the same rows, and answer alike. */
async function expectSame(): Promise<void> {
  for (const index of ['plain', 't']) await cold.backend.compact({ index });
  evictColdBytes(0);
  expect((await cold.answersOf('t')).exported).toEqual((await cold.answersOf('plain')).exported);
}

describe('cold windows', () => {
  it.each(Object.entries(HARMS))(
    'are built again by a repair if objects are %s',
    async (_, harm) => {
      const [first, second] = bundles();
      for (const key of [first!, second!]) harm(key);
      evictColdBytes(0);
      const found = await cold.backend.verify({ index: 't' });
      expect(found).toMatchObject({ equal: false, missing: 0, extra: 0, stale: 0 });
      expect(found.faults).toEqual([
        `"s3://frozen/${first}" ${REBUILT} 2025-01, 2025-02, 2025-03 again`,
        `"s3://frozen/${second}" ${REBUILT} 2025-03 again`,
      ]);
      expect((await cold.backend.verify({ index: 't', deep: true })).faults).toEqual(found.faults);
      expect(await cold.backend.verify({ index: 't', repair: true })).toMatchObject({
        equal: true,
      });
      expect(await cold.backend.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
      await expectSame();
    },
  );

  it('of other objects stay as they are', async () => {
    bucket().delete(bundles()[1]!);
    await cold.backend.verify({ index: 't', repair: true });
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-03': 'hot' });
    await expectSame();
  });

  it('whose objects are lost let syncs go on, which say so once a day', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const [first] = bundles();
    bucket().delete(first!);
    for (let day = 1; day <= 3; day++) {
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + DAY);
      await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(60, 65, `day ${day}`) });
      await cold.backend.sync({ index: 't' });
      await cold.backend.sync({ index: 't' });
      expect(warned.mock.calls).toEqual(
        Array(day).fill([
          `the store has lost "s3://frozen/${first}": a repair builds cold windows again`,
          'LhsWarning',
        ]),
      );
    }
    await cold.backend.sync({ index: 'plain' });
    await cold.backend.verify({ index: 't', repair: true });
    await expectSame();
  });

  it('of a kept generation alone are given up if their objects are lost', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const [first] = bundles();
    await cold.backend.reindex({ index: 't' });
    bucket().delete(first!);
    for (let day = 1; day <= 3; day++) {
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + DAY);
      await cold.backend.sync({ index: 't' });
      expect(warned).toHaveBeenCalledTimes(1);
    }
  });
});
