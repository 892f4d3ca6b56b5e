import type { SearchResponse, TableLag } from '@lakehouse-search/contract';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';

/** How many shards answered. */
export function scanned(fan: FanOut): Pick<SearchResponse, 'shards_scanned' | 'shards_total'> {
  const { length } = fan.shards;
  return { shards_scanned: length - fan.failed, shards_total: length };
}

/** What every answer says of its commit. */
export function commitState({
  snapshot,
}: SearchContext): Pick<SearchResponse, 'snapshot' | 'index_generation'> {
  const { checkpoint, generation } = snapshot;
  return { snapshot: checkpoint?.snapshot_id ?? null, index_generation: generation };
}

/** What every answer says of its commit and of its own time. */
export function envelope(
  context: SearchContext,
  started: number,
): Pick<SearchResponse, 'snapshot' | 'index_generation' | 'took_ms'> {
  const took = performance.now() - started;
  return { ...commitState(context), took_ms: Math.round(took * 1000) / 1000 };
}

/**
 * Requested first: a look at the table that an answer waits for goes on while the index answers.
 */
export function lagOf({ lag }: SearchContext): Promise<TableLag> {
  const requested = lag();
  requested.catch(() => {});
  return requested;
}
