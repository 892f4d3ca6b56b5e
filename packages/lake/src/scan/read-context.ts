import type { TableFiles } from '../base/files/table-files.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { ReadRestrictions } from '../restrictions/read-restrictions.ts';
import { type NameMapping, nameMappingOf } from '../schema/name-mapping.ts';
import type { ParquetEngine } from './file-rows.ts';

/** What reading a table's files needs to know of the table. */
export interface ReadContext {
  readonly metadata: TableMetadata;
  readonly files: TableFiles;
  readonly nameMapping: NameMapping | null;
  readonly engine: ParquetEngine;
  /** What may be read of the table; undefined: everything. */
  readonly restrictions: ReadRestrictions | undefined;
}

/**
 * The context of a loaded table. Throws metadata_invalid if its name mapping cannot be read.
 */
export function readContext(
  table: {
    readonly metadata: TableMetadata;
    readonly files: TableFiles;
    readonly restrictions?: ReadRestrictions | undefined;
  },
  engine: ParquetEngine = 'auto',
): ReadContext {
  const { metadata, files, restrictions } = table;
  const nameMapping = nameMappingOf(metadata.properties, metadata.file);
  return Object.freeze({ metadata, files, nameMapping, engine, restrictions });
}
