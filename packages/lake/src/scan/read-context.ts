import type { TableFiles } from '../base/table-files.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { type NameMapping, nameMappingOf } from '../schema/name-mapping.ts';
import type { ParquetEngine } from './file-rows.ts';

/** What reading a table's files needs to know of the table. */
export interface ReadContext {
  readonly metadata: TableMetadata;
  readonly files: TableFiles;
  readonly nameMapping: NameMapping | null;
  readonly engine: ParquetEngine;
}

/**
 * The context of a loaded table. Throws metadata_invalid if its name mapping cannot be read.
 */
export function readContext(
  table: { readonly metadata: TableMetadata; readonly files: TableFiles },
  engine: ParquetEngine = 'auto',
): ReadContext {
  const { metadata, files } = table;
  const nameMapping = nameMappingOf(metadata.properties, metadata.file);
  return Object.freeze({ metadata, files, nameMapping, engine });
}
