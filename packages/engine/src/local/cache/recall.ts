/**
 * Reads whose answers are kept (result-cache.ts): which requests they are, and their answers at
 * once. A server that receives the same bytes again need not read and check them again.
 */
import type { CallContext } from '@lakehouse-search/contract';
import { requestText } from '../../base/request-text.ts';
import { millisSince } from '../../search/context.ts';
import { tenantFilter } from '../../shard/request/tenant-filter.ts';
import { accessible, requireWanted } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import type { CachedParts } from './answer-text.ts';

/** Reads whose answers are kept. */
export type RepeatedRead = 'search' | 'semantic' | 'hybrid' | 'aggregate' | 'facets' | 'suggest';

/** What requests for reads say of index, moment and table. */
export interface RepeatedTarget {
  readonly index?: string;
  readonly pit_id?: string;
  readonly min_snapshot?: string;
  readonly hydrate?: boolean;
}

/** A request that has been checked, and whose answers are kept. Nobody may change it. */
export interface RepeatedRequest {
  readonly request: RepeatedTarget;
  /** The read and the checked request as part of the key of its answers. */
  readonly text: string;
}

/** Answers for points in time, and those that depend on the table itself, are not kept. */
export const isRepeated = ({ pit_id, min_snapshot, hydrate }: RepeatedTarget): boolean =>
  pit_id === undefined && min_snapshot === undefined && hydrate !== true;

/** A checked request as part of the key of its answers. */
export const repeatedText = (read: RepeatedRead, checked: unknown): string =>
  `${read} ${requestText(checked)}`;

/** The answer to a request that was checked before, at once; undefined: the read has to run. */
export function recallAnswer(
  indexes: LocalIndexes,
  repeated: RepeatedRequest,
  call: CallContext,
): CachedParts | undefined {
  requireWanted(call, indexes.clock);
  return indexes.results === null ? undefined : keptAnswer(indexes, repeated, call);
}

/**
 * The answer that is kept; undefined: there is none, or its lag needs a look at the table. The
 * caller's index and tenant are checked as for a read that searches.
 */
export function keptAnswer(
  indexes: LocalIndexes,
  repeated: RepeatedRequest,
  call: CallContext,
): CachedParts | undefined {
  const started = performance.now();
  const known = accessible(indexes, repeated.request.index, call);
  const { results } = indexes;
  const tenant = call.principal?.tenant;
  const open = indexes.hold(known);
  try {
    if (tenant !== undefined) tenantFilter(open.mapping, tenant);
    const lag = indexes.tables.lastLag(known, open);
    if (results === null || lag === undefined) return undefined;
    const found = results.get(results.keyOf(open, tenant, repeated.text));
    if (found === undefined) return undefined;
    const others = { took_ms: millisSince(started, tenant), ...lag };
    return { members: found.answer, text: found.text, others, repeated };
  } finally {
    open.snapshot.release();
  }
}
