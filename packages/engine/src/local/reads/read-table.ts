import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Deadline } from '../../base/time/deadline.ts';
import type { KnownIndex, OpenIndex } from '../../open/open-index.ts';
import type { SearchContext } from '../../search/context.ts';
import { type ReadRows, rowsOfTable } from '../../search/fetch/table-rows.ts';
import { namedSnapshot } from '../../source/source-table.ts';
import { LOOKUP_MEMORY, type MemoryRoom, ROW_MEMORY } from '../cache/memory-room.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/** A table that does not answer within this time is not waited for: the index's checkpoint counts. */
const LAG_MS = 1000;
/** Look-ups of so many rows, such as a page of hits, never wait for memory. */
const FEW_ROWS = 100;

/** What a read of a commit sees of its table, which is opened with the first use. */
export function tableOf(
  indexes: LocalIndexes,
  known: KnownIndex,
  open: OpenIndex,
  tenant: string | undefined,
): Pick<SearchContext, 'readRows' | 'lag' | 'hasReached'> {
  let opened: Promise<SourceTable> | undefined;
  const openTable = () => {
    opened ??= indexes.tables.newest(known);
    return opened;
  };
  return {
    readRows: rowsOfTable(
      async () => {
        const { requireSameRestrictions } = await import('../../index/commits/source-identity.ts');
        const { checkpoint } = open.snapshot;
        return requireSameRestrictions(checkpoint, await openTable(), known.registered.name);
      },
      open.mapping,
      tenant,
      namedSnapshot,
    ),
    lag: async (now) => {
      if (opened === undefined)
        return indexes.tables.lag(known, open, now === 'now' ? 0 : undefined);
      await opened.catch(() => {});
      return indexes.tables.lag(known, open, Number.POSITIVE_INFINITY);
    },
    hasReached: async (id) => {
      const { checkpoint } = open.snapshot;
      const table = await indexes.tables.soon(known, LAG_MS);
      if (table === null) return checkpoint?.applied?.includes(id) ?? false;
      const { reaches } = await import('../../sync/missing-snapshots.ts');
      return reaches(table, checkpoint, id);
    },
  };
}

/**
 * Look-ups of many rows wait until they fit into the memory. Throws as `read`, interrupted, and
 * overloaded if the deadline passes meanwhile.
 */
export function inRoom(room: MemoryRoom, read: ReadRows, deadline: Deadline): ReadRows {
  return async (wanted, ...options) => {
    if (wanted.length <= FEW_ROWS) return read(wanted, ...options);
    const bytes = Math.min(LOOKUP_MEMORY, wanted.length * ROW_MEMORY);
    const leave = await enterInTime(room, bytes, deadline);
    try {
      return await read(wanted, ...options);
    } finally {
      leave();
    }
  };
}

async function enterInTime(room: MemoryRoom, bytes: number, deadline: Deadline) {
  const late = AbortSignal.timeout(Math.max(0, Math.ceil(deadline.left.millis)));
  const signals = deadline.signal === undefined ? [late] : [late, deadline.signal];
  try {
    return await room.enter(bytes, AbortSignal.any(signals));
  } catch (error) {
    if (!late.aborted || deadline.signal?.aborted) throw error;
    const message = 'the look-up of rows waited for memory that others use';
    throw new LhsError('overloaded', message, { hint: 'try again later, or request fewer rows' });
  }
}
