import { Deadline } from '../../packages/engine/src/base/time/deadline.ts';
import { BY_SCORE } from '../../packages/engine/src/collect/order.ts';
import type { IndexSnapshot } from '../../packages/engine/src/index/index-snapshot.ts';
import type { Clause } from '../../packages/engine/src/query/bind/clause.ts';
import type { Mapping } from '../../packages/engine/src/schema/mapping.ts';
import { type SearchContext, UNKNOWN_LAG } from '../../packages/engine/src/search/context.ts';
import type { ExecutionPlan } from '../../packages/engine/src/shard/execute/execution-plan.ts';
import type { FilterCache } from '../../packages/engine/src/shard/execute/filter-cache.ts';
import { localShards } from '../../packages/engine/src/shard/local-shard.ts';

/** So much time, in milliseconds, that it does not run out. */
const MUCH_TIME = 3_600_000;

/** A search context over an open commit without a table and without models; time never runs out. */
export function searchContext(
  mapping: Mapping,
  snapshot: IndexSnapshot,
  parts: Partial<SearchContext> & { readonly filters?: FilterCache } = {},
): SearchContext {
  const { filters, ...own } = parts;
  return {
    mapping,
    snapshot,
    shards: localShards(snapshot, mapping, { filters }),
    tenant: undefined,
    get deadline() {
      return new Deadline(MUCH_TIME);
    },
    openModel: () => Promise.reject(new Error('no model here')),
    readRows: () => Promise.reject(new Error('no table here')),
    lag: async () => UNKNOWN_LAG,
    hasReached: async () => false,
    ...own,
  };
}

/** A plan that finds the first ten documents of a clause by score. */
export function executionPlan(clause: Clause, parts: Partial<ExecutionPlan> = {}): ExecutionPlan {
  return {
    clause,
    filter: null,
    tenantFilter: null,
    windows: null,
    order: BY_SCORE,
    collapse: null,
    limit: 10,
    after: null,
    total: true,
    statistics: null,
    filters: null,
    deadline: new Deadline(MUCH_TIME),
    ...parts,
  };
}
