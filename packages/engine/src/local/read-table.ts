import type { SourceTable } from '@lakehouse-search/lake';
import type { KnownIndex, OpenIndex } from '../open/open-index.ts';
import type { SearchContext } from '../search/context.ts';
import { rowsOfTable } from '../search/fetch/table-rows.ts';
import { namedSnapshot } from '../source/source-table.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** A table that does not answer within this time is not waited for: the index's checkpoint counts. */
const LAG_MS = 1000;

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
        const { requireSameRestrictions } = await import('../index/source-identity.ts');
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
      const { reaches } = await import('../sync/missing-snapshots.ts');
      return reaches(table, checkpoint, id);
    },
  };
}
