import type { SearchResponse, TableLag } from '@lakehouse-search/contract';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';

/** How many shards answered. */
export function scanned(fan: FanOut): Pick<SearchResponse, 'shards_scanned' | 'shards_total'> {
  const { length } = fan.shards;
  return { shards_scanned: length - fan.failed, shards_total: length };
}

/** What every answer says of the commit and of its own time. */
export async function envelope(
  { snapshot }: SearchContext,
  started: number,
  lag: Promise<TableLag>,
): Promise<Pick<SearchResponse, 'snapshot' | 'index_generation' | 'took_ms'> & TableLag> {
  const took = performance.now() - started;
  return {
    snapshot: snapshot.checkpoint?.snapshot_id ?? null,
    index_generation: snapshot.generation,
    took_ms: Math.round(took * 1000) / 1000,
    ...(await lag),
  };
}

/**
 * Requested first: a look at the table that an answer waits for goes on while the index answers.
 */
export function lagOf({ lag }: SearchContext): Promise<TableLag> {
  const requested = lag();
  requested.catch(() => {});
  return requested;
}
