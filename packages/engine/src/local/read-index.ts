import type { CallContext } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { Deadline } from '../base/deadline.ts';
import type { SearchContext } from '../search/context.ts';
import { localShards } from '../shard/local-shard.ts';
import { tenantFilter } from '../shard/request/tenant-filter.ts';
import { accessible } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { holdPit } from './point-in-time.ts';

/** A table that does not answer within this time is not waited for: the lag is null. */
const LAG_MS = 1000;

/** Which index is read, and at which commit: the newest one unless a point in time says so. */
export interface ReadTarget {
  readonly index?: string;
  readonly pit_id?: string;
}

/**
 * Runs `work` on an index at one commit. Its table is opened with the first use. A tenant's caller
 * sees only the documents and rows of that tenant (shard/request/tenant-filter.ts).
 */
export async function readIndex<T>(
  indexes: LocalIndexes,
  { index, pit_id }: ReadTarget,
  call: CallContext,
  work: (context: SearchContext) => Promise<T>,
): Promise<T> {
  const known = accessible(indexes, index, call);
  const tenant = call.principal?.tenant;
  const deadline = Deadline.of(call, indexes.clock);
  const open = pit_id === undefined ? indexes.hold(known) : holdPit(indexes, known, pit_id);
  const { snapshot, mapping } = open;
  const { checkpoint } = snapshot;
  let opened: Promise<SourceTable> | undefined;
  const openTable = () => {
    opened ??= indexes.newestTable(known);
    return opened;
  };
  const lag = async (now?: 'now') => {
    const read = { snapshot, mapping };
    if (opened === undefined) return indexes.lag(known, read, now === 'now' ? 0 : undefined);
    await opened.catch(() => {});
    return indexes.lag(known, read, Number.POSITIVE_INFINITY);
  };
  const hasReached = async (id: string) => {
    const table = await indexes.tableSoon(known, LAG_MS);
    if (table === null) return checkpoint?.applied?.includes(id) ?? false;
    const { reaches } = await import('../sync/missing-snapshots.ts');
    return reaches(table, checkpoint, id);
  };
  try {
    // A definition that names a tenant field which the index lacks answers no tenant.
    if (tenant !== undefined) tenantFilter(mapping, tenant);
    const { filters, clock, searchThreads } = indexes;
    const local = localShards(snapshot, mapping, { filters, clock });
    const { signal } = searchThreads === null ? call : indexes.life.stoppable(call);
    const threads = searchThreads === null ? null : await searchThreads();
    const shards = threads === null ? local : threads.shardsOf(open, local, signal);
    const table = { openTable, lag, hasReached };
    const { baseDir } = known.registered;
    const openModel = (model: string, checksum?: string) =>
      indexes.models.open(model, baseDir, checksum);
    return await work({ snapshot, mapping, shards, deadline, ...table, openModel, tenant });
  } finally {
    snapshot.release();
  }
}
