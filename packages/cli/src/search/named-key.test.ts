import { type KeysRequest, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { keyRemark, withKey } from './named-key.ts';

/** An index with the row `id=116`. */
const backendOf = (columns: readonly string[], sources: readonly string[] = []) =>
  ({
    describeIndex: async () => ({
      index: 'shop',
      key: { partition: [], identifier: columns },
      fields: sources.map((source) => ({ name: source, source: [source] })),
    }),
    getKeys: async ({ keys }: KeysRequest) => ({
      rows: keys.filter(({ identifier: [{ value }] }) => value === '116'),
    }),
  }) as unknown as BackendApi;
const FOUND = 'a row has the key id=116 (lhs keys get shop id=116)';

describe('a query that is a key of no field', () => {
  it.each([
    ['id:116', FOUND],
    ['id=116', FOUND],
    ['id = 116', FOUND],
    ['116', FOUND],
    ['id:117', 'no row has the key id=117 (id is no field)'],
    ['117', undefined],
    ['fox', undefined],
    ['id:>116', undefined],
    ['id:116 fox', undefined],
    ['name:116', undefined],
  ])('%s: %s', async (text, remark) => {
    expect(await keyRemark(backendOf(['id']), 'shop', text)).toBe(remark);
  });

  it('is a clause where a field has the key, and no key where it has several columns', async () => {
    expect(await keyRemark(backendOf(['id'], ['id']), 'shop', 'id=116')).toBeUndefined();
    expect(await keyRemark(backendOf(['repo', 'id']), 'shop', 'id=116')).toBeUndefined();
  });

  it('is the first advice of an error about its field', async () => {
    const error = new LhsError('invalid_query', 'field "id" is not in index', {
      hint: 'fields: a',
    });
    const told = await withKey(error, backendOf(['id']), 'shop', 'id:116');
    expect(told).toMatchObject({ code: error.code, message: error.message });
    expect(told.hint).toBe(`${FOUND}\n${error.hint}`);
  });
});
