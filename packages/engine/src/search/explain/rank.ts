import { LIMITS } from '../../base/limits.ts';
import type { SearchAfter } from '../../collect/order.ts';
import type { SearchContext } from '../context.ts';
import { execute } from '../execute/execute.ts';
import type { SearchPlan } from '../request/plan.ts';

/** Hits of the first look, and of each further one. */
const FIRST_HITS = 100;
const MORE_HITS = 10_000;

/** Where a document stands among all hits, from 1, and how many there are. */
export interface Rank {
  /** null: behind the hits that were looked at in time. */
  readonly rank: number | null;
  /** Hits that stand before it, as far as was looked. */
  readonly before: number;
  readonly total: number;
}

/**
 * The rank of a hit's key in the order of a search, by the search itself: page after page until the
 * key comes, or as much time has passed as one query may take. Throws what searching throws.
 */
export function rankOf(context: SearchContext, plan: SearchPlan, key: Uint8Array): Rank {
  const { clause, filter, order } = plan;
  const { snapshot, guard, filters } = context;
  let after: SearchAfter | null = null;
  const deadline = performance.now() + LIMITS.queryMillis;
  let total = 0;
  for (let passed = 0, limit = FIRST_HITS; ; limit = MORE_HITS) {
    const page = execute(snapshot, { clause, filter, guard, filters, order, limit, after });
    if (after === null) total = page.total;
    const at = page.docs.findIndex((doc) => Buffer.compare(doc.key, key) === 0);
    if (at >= 0) return { rank: passed + at + 1, before: passed + at, total };
    const last = page.docs.at(-1);
    passed += page.docs.length;
    if (last === undefined || performance.now() > deadline) {
      return { rank: null, before: passed, total };
    }
    after = { values: last.values, key: last.key };
  }
}

/** How many documents a search finds. */
export function totalOf(context: SearchContext, { clause, filter, order }: SearchPlan): number {
  const { snapshot, guard, filters } = context;
  return execute(snapshot, { clause, filter, guard, filters, order, limit: 0 }).total;
}
