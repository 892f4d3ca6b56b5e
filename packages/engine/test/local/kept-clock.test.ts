import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { openEngine } from '../../src/local-backend.ts';

/** Kept generations of an index whose machine has a clock that is set. */
const HOUR = 3_600_000;
const YEARS = 4500 * 24 * HOUR;
const schema = schemaOf({ id: 'long' });

let wall: number;
let ticks: number;
let lake: SmallLake;
let backend: LocalEngine;
const clock = {
  now: () => Date.now() + wall,
  ticks: () => performance.now() + ticks,
  random: Math.random,
  sleep: async () => {},
};
beforeEach(async () => {
  [wall, ticks] = [0, 0];
  lake = await openSmallLake({ clock });
  backend = lake.backend;
  await lake.create(schema);
  await append(1);
  await lake.build('fields: [{ name: id, type: LONG }]');
});
afterEach(() => lake.close());

let next = 1;
const append = (count: number) =>
  lake.append(Array.from({ length: count }, () => ({ id: next++ })));
/** Time goes on for both clocks. */
const pass = (ms: number) => {
  wall += ms;
  ticks += ms;
};
/** A sync that finds something new. */
const sync = async () => {
  await append(1);
  await backend.sync({});
};
const kept = async () =>
  ((await backend.status({})).generations ?? []).filter(({ state }) => state === 'kept');
const numbers = async () => (await kept()).map(({ generation }) => generation);

describe('a kept generation', () => {
  it('outlives a clock that is set ahead and back, and goes when its time is over', async () => {
    await backend.reindex({});
    wall += YEARS;
    await sync();
    expect(await numbers()).toEqual([1]);
    wall -= YEARS;
    await sync();
    expect(await kept()).toMatchObject([{ generation: 1, num_docs: 3 }]);
    pass(23 * HOUR);
    await sync();
    expect(await numbers()).toEqual([1]);
    pass(2 * HOUR);
    await sync();
    expect(await numbers()).toEqual([]);
  });

  it('that was kept while the clock was ahead goes a day later too', async () => {
    wall += YEARS;
    await backend.reindex({});
    wall -= YEARS;
    await sync();
    const [{ until }] = await kept();
    expect(Date.parse(until!) - Date.now()).toBeLessThanOrEqual(24 * HOUR);
    pass(25 * HOUR);
    await sync();
    expect(await numbers()).toEqual([]);
  });

  it('that a process with a wrong clock kept goes a day after the clock is right', async () => {
    const ahead = { ...clock, now: () => Date.now() + YEARS };
    const wrong = await openEngine(lake.backend.dataDir, {
      create: true,
      threads: 0,
      clock: ahead,
    });
    await wrong.reindex({});
    await wrong.close();
    await sync();
    const [{ until }] = await kept();
    expect(Date.parse(until!) - Date.now()).toBeLessThanOrEqual(24 * HOUR);
    pass(25 * HOUR);
    await sync();
    expect(await numbers()).toEqual([]);
  });

  it('that a process with a wrong clock removed is not listed', async () => {
    await backend.reindex({});
    const ahead = { ...clock, now: () => Date.now() + YEARS };
    const wrong = await openEngine(lake.backend.dataDir, {
      create: true,
      threads: 0,
      clock: ahead,
    });
    await append(1);
    await wrong.sync({});
    await wrong.close();
    expect(await numbers()).toEqual([]);
    await expect(backend.rollbackIndex({ index: 't' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
