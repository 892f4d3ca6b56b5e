/** Lists of numbers in a table with many columns of numbers. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { LocalShard } from '../../src/shard/local-shard.ts';

const COLUMNS = Array.from({ length: 12 }, (_, i) => `n${i}`);
const ROWS = Array.from({ length: 12 }, (_, id) => ({
  ...{ id, name: `unit ${'abcdefghijkl'[id]}` },
  ...Object.fromEntries(COLUMNS.map((name, i) => [name, 10 + ((id * (i + 1)) % 5)])),
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const numbers = Object.fromEntries(COLUMNS.map((name) => [name, 'long' as const]));
  await lake.create(schemaOf({ id: 'long', name: 'string', ...numbers }), { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: name, type: TEXT }
${COLUMNS.map((name) => `  - { name: ${name}, type: LONG, fast: true }`).join('\n')}`);
});
afterAll(() => lake.close());

describe('numbers in a list', () => {
  it('are tried in few pairs of columns', async () => {
    const searches = vi.spyOn(LocalShard.prototype, 'search');
    const { suggested_query = '', suggested_total = 0 } = await lake.backend.search({
      ...{ query: '10, 11, 12', suggest: true },
    });
    expect(suggested_total).toBeGreaterThan(0);
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
    expect(searches.mock.calls.length).toBeLessThan(200);
  });
});
