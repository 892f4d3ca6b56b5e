import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EraseLake, KEY, openEraseLake } from './erase-lake.ts';

let lake: EraseLake;
beforeEach(async () => {
  lake = await openEraseLake();
  await lake.backend.reindex({ index: 't' });
});
afterEach(async () => {
  lake.registry.close();
  await lake.close();
});

describe('an erasure of an index with a kept generation', () => {
  it('finds the row there, removes it, and leaves a rollback possible', async () => {
    await lake.deleteAndSync();
    expect(await lake.places()).toEqual(['deleted_document', 'embedding_cache', 'kept_generation']);
    const { report, actions } = await lake.backend.runErasure({ index: 't', keys: [KEY] });
    expect(report.remains).toEqual([]);
    expect(actions).toMatchObject({ segments_rewritten: 2, generations_removed: 0 });
    await lake.backend.rollbackIndex({ index: 't' });
    expect(await lake.places()).toEqual([]);
    expect((await lake.backend.verify({ index: 't', deep: true })).equal).toBe(true);
  });
});
