import type { SourceTable } from '@lakehouse-search/lake';
import type { SearchContext } from '../search/context.ts';
import type { LocalIndexes } from './local-indexes.ts';

/**
 * Runs `work` on the newest commit of an index; its table is opened when it is first asked for.
 */
export async function readIndex<T>(
  indexes: LocalIndexes,
  name: string | undefined,
  work: (context: SearchContext) => Promise<T>,
): Promise<T> {
  const known = indexes.resolve(name);
  const { snapshot, mapping } = indexes.hold(known);
  let opened: Promise<SourceTable> | undefined;
  const table = () => {
    opened ??= indexes.newestTable(known);
    return opened;
  };
  const hasReached = async (id: string) => {
    const { reaches } = await import('../ingest/missing-snapshots.ts');
    return reaches(await table(), snapshot.checkpoint, id);
  };
  try {
    return await work({ snapshot, mapping, openTable: table, hasReached });
  } finally {
    snapshot.release();
  }
}
