import { describe, expect, it } from 'vitest';
import type { BackendApi } from './backend.ts';
import { eachHit } from './each-hit.ts';
import { LhsError } from './errors.ts';
import { REQUEST_LIMITS } from './limits.ts';
import type { HitsRequest, SearchRequest } from './search/request.ts';
import type { Hit } from './search/response.ts';

const TOTAL = 12_345;
const all = Array.from({ length: TOTAL }, (_, i) => i);
const hitOf = (i: number): Hit => ({
  coordinates: { identifier: [] },
  key: String(i),
  score: 1,
  sort: [i],
});

/** Pages of the numbers, in the window that engines have. */
const backend = {
  search: async ({ limit = 10, offset = 0, search_after: after }: SearchRequest) => {
    if (offset + limit > REQUEST_LIMITS.windowHits) throw new LhsError('invalid_argument', 'deep');
    const start = after === undefined ? offset : Number(after[0]) + 1;
    return { hits: all.slice(start, start + limit).map(hitOf) };
  },
  openPit: async () => ({ pit_id: 'p' }),
  closePit: async () => ({ closed: true }),
} as unknown as Pick<BackendApi, 'search' | 'openPit' | 'closePit'>;

const keys = async (request: HitsRequest) =>
  (await Array.fromAsync(eachHit(backend, request))).map(({ key }) => Number(key));

describe('the hits of a search', () => {
  it.each([0, 1, 499, 9500, 9501, 9990, 10_000, 10_001, 12_344, 12_345, 20_000])(
    'begin behind any offset: %i',
    async (offset) => {
      expect(await keys({ offset })).toEqual(all.slice(offset));
      for (const limit of [0, 1, 10, 500, 501, 1700]) {
        const expected = all.slice(offset, offset + limit);
        expect(await keys({ offset, limit })).toEqual(expected);
        expect(await keys({ offset, limit, pit_id: 'p' })).toEqual(expected);
      }
    },
  );
});
