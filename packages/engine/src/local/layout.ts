import type { IndexRequest } from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract';
import type { TableLayout } from '@lakehouse-search/lake';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot } from '../source/source-table.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** The layout of the data files that rows of an index are read from. */
export interface SourceLayout {
  /** The table's name and the snapshot; null where it has none. */
  readonly table: string;
  readonly snapshot: bigint | null;
  readonly layout: TableLayout;
}

/**
 * Looks at the table of an index, at the snapshot that the index follows: the footers of at most
 * `mostFiles` data files. Throws index_not_found, source_not_found, source_invalid,
 * source_unreachable.
 */
export async function layoutLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  mostFiles: number,
): Promise<SourceLayout> {
  const known = indexes.resolve(checkIndexRequest(request).index);
  const table = await indexes.tables.newest(known);
  const snapshot = followedSnapshot(table, known.definition.source.ref);
  const layout = await fromSource(() => table.layout(snapshot, mostFiles));
  return { table: table.name, snapshot, layout };
}
