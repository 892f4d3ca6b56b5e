/** Addresses that are pasted without the field that holds them. */
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const ROWS = Array.from({ length: 20 }, (_, id) => {
  const client = id % 2 === 0 ? `10.0.0.${id}` : `2001:db8:2::${id.toString(16)}`;
  return { id, client, line: `request ${id % 4}` };
});

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'long', client: 'string', line: 'string' }), { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [line]
fields:
  - { name: line, type: TEXT }
  - { name: client, type: IP }`);
});
afterAll(() => lake.close());

/** The suggested query of an answer or of an error. */
async function meant(query: string) {
  try {
    return (await lake.backend.search({ query, suggest: true })).suggested_query;
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return error.details.suggested_query;
  }
}

describe('an address without a field', () => {
  it.each([
    ['10.0.0.6', 'client:10.0.0.6', 1],
    ['10.0.0.0/29', 'client:10.0.0.0/29', 4],
    ['2001:db8:2::b', 'client:2001:db8:2::b', 1],
    ['2001:db8:2::/64', 'client:2001:db8:2::/64', 10],
    ['request AND 2001:db8:2::b', 'request AND client:2001:db8:2::b', 1],
  ])('%s: %s', async (query, expected, total) => {
    expect(await meant(query)).toBe(expected);
    expect((await lake.backend.search({ query: expected })).total).toBe(total);
  });

  it.each(['10.0.0.7/40', '300.0.0.1', '2026'])('%s is none', async (query) => {
    expect(await meant(query)).toBeUndefined();
  });
});
