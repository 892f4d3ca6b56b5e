/** Engines whose looks at files hold (EngineOptions.lookMs): this process changes them itself. */
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long' });

let lake: SmallLake;
let other: LocalEngine;

beforeEach(async () => {
  lake = await openSmallLake({ lookMs: 600_000 });
  other = await openEngine(join(lake.folder, 'data'), {
    create: true,
    threads: 0,
    lookMs: 600_000,
  });
  await lake.create(schema);
  await append(1);
  await lake.build('fields:\n  - { name: id, type: LONG }');
});
afterEach(async () => {
  await other.close();
  await lake.close();
});

const append = (id: number) => lake.append([{ id }]);
const total = async (index = 't') => (await lake.backend.search({ index, query: '*:*' })).total;

describe('an engine whose looks hold', () => {
  it('searches its own commits at once', async () => {
    expect(await total()).toBe(1);
    await append(2);
    await lake.backend.sync({});
    expect(await total()).toBe(2);
    await lake.backend.reindex({});
    expect(await total()).toBe(2);
  });

  it('searches commits of another engine of the process at once', async () => {
    expect(await total()).toBe(1);
    await append(2);
    await other.sync({});
    expect(await total()).toBe(2);
  });

  it('knows names that were given or taken in the process', async () => {
    await other.setAlias({ alias: 'all', index: 't' });
    expect(await total('all')).toBe(1);
    await other.dropAlias({ alias: 'all' });
    await expect(total('all')).rejects.toMatchObject({ code: 'index_not_found' });
    await other.dropIndex({ index: 't' });
    await expect(total()).rejects.toMatchObject({ code: 'index_not_found' });
  });
});
