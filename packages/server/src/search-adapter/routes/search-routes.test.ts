import { describe, expect, it } from 'vitest';
import type { Reads } from '../base/reads.ts';
import type { AdapterCall } from './adapter-call.ts';
import { MOST_HITS, SEARCH_ENDPOINTS } from './search-routes.ts';

const msearch = SEARCH_ENDPOINTS.find(({ paths }) => paths.includes('/_msearch'))!;

const key = { partition: [], identifier: ['id'] };
const READS = {
  describeIndex: async ({ index }: { index: string }) => {
    return { index, fields: [], variants: [], key, default_fields: [] };
  },
} as unknown as Reads;

/** How many searches of a list count as running at most. */
async function mostRunning(indexes: string): Promise<number> {
  let [running, most] = [1, 1];
  const call = {
    body: `${JSON.stringify({ index: indexes })}\n{"query":{"match_all":{}}}\n`.repeat(20),
    params: {},
    path: {},
    reads: () => READS,
    noteIndex: () => {},
    begin: async () => {
      most = Math.max(most, ++running);
      return () => {
        running--;
      };
    },
  } as unknown as AdapterCall;
  await msearch.answer(call);
  return most;
}

describe('the searches of a list', () => {
  it('run one after the other, and count as one', async () => {
    expect(await mostRunning('notes')).toBe(2);
  });

  it('request so many hits together, and no more: nothing is computed before', async () => {
    let searches = 0;
    const search = async () => {
      searches++;
      return { hits: [], total: 0, shards_scanned: 1, shards_total: 1 };
    };
    const answer = (count: number) =>
      msearch.answer({
        body: '{"index":"notes"}\n{"size":10000,"_source":false}\n'.repeat(count),
        ...{ params: {}, path: {}, noteIndex: () => {}, begin: async () => () => {} },
        reads: () => ({ ...READS, search }),
      } as unknown as AdapterCall);
    const most = MOST_HITS / 10_000;
    await expect(answer(most + 1)).rejects.toThrow(`more than ${MOST_HITS} hits`);
    expect(searches).toBe(0);
    await answer(most);
    expect(searches).toBe(most);
  });

  it('count once more for each further index', async () => {
    expect(await mostRunning('a,b,c')).toBe(4);
  });
});
