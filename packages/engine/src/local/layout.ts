import type { IndexRequest } from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract/internal';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot } from '../source/source-table.ts';
import type { LocalIndexes } from './local-indexes.ts';
import type { SourceLayout } from './source-layout.ts';

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
