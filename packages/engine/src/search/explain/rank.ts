import { LIMITS } from '../../base/limits.ts';
import { Deadline } from '../../base/time/deadline.ts';
import type { SearchAfter } from '../../collect/order.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { findHits, type PreparedSearch } from '../find-hits.ts';

/** Hits of the first page, and of each further one. */
const FIRST_HITS = 100;
const MORE_HITS = 10_000;

/** Where a document is among all hits, from 1, and how many there are. */
export interface Rank {
  /** null: behind the hits that were read in time. */
  readonly rank: number | null;
  /** Hits before it, as far as they were read. */
  readonly before: number;
  readonly total: number;
}

/**
 * The rank of a hit's key in the order of a search, by the search itself: page after page until the
 * key comes, or until one query's time is over. Throws what searching throws.
 */
export async function rankOf(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
  key: Uint8Array,
): Promise<Rank> {
  let after: SearchAfter | null = null;
  const until = performance.now() + LIMITS.queryMillis;
  let total = 0;
  for (let passed = 0, limit = FIRST_HITS; ; limit = MORE_HITS) {
    const window = { limit, after, total: after === null };
    const page = await findHits(withFullTime(context), fan, prepared, window);
    if (after === null) total = page.total;
    const at = page.docs.findIndex(({ hit }) => Buffer.compare(hit.key, key) === 0);
    if (at >= 0) return { rank: passed + at + 1, before: passed + at, total };
    const last = page.docs.at(-1)?.hit;
    passed += page.docs.length;
    if (last === undefined || performance.now() > until) {
      return { rank: null, before: passed, total };
    }
    after = { values: last.values, key: last.key };
  }
}

/** How many documents a search finds. */
export async function totalOf(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
): Promise<number> {
  const window = { limit: 0, after: null, total: true };
  return (await findHits(withFullTime(context), fan, prepared, window)).total;
}

/** Each search of an explanation may take as long as one query. */
function withFullTime(context: SearchContext): SearchContext {
  return { ...context, deadline: new Deadline() };
}
