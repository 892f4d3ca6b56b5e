import { LakeError } from '../base/errors.ts';
import { listTables } from '../catalog/load-table.ts';
import type { CatalogConfig } from '../source-table.ts';
import { describeInput, inferSchema } from './infer-schema.ts';
import { stageInput } from './input.ts';
import { parsePartitionBy } from './partitions.ts';
import { appendRows, createTable, overwriteRows, type WriteResult } from './table-writer.ts';
import { WriterSession } from './writer-session.ts';

/** How files become a table. */
export interface ImportOptions {
  readonly catalog: CatalogConfig;
  readonly table: string;
  readonly files: readonly string[];
  readonly key?: readonly string[];
  /** `day(opened_at),bucket[16](id)`: see `parsePartitionBy`. */
  readonly partitionBy?: string;
  readonly formatVersion?: 2 | 3;
  /** What to do where the table is there already. Default: refuse. */
  readonly mode?: 'create' | 'append' | 'overwrite';
}

/**
 * Imports Parquet, CSV or NDJSON files: the schema is inferred and the table made, unless it is
 * there and `mode` says what to do with it. Throws table_exists, column_not_found,
 * invalid_argument.
 */
export async function importFiles(options: ImportOptions): Promise<WriteResult> {
  const { catalog, table, mode = 'create' } = options;
  const input = { kind: 'files' as const, paths: options.files };
  if (options.files.length === 0)
    throw new LakeError('invalid_argument', 'there is no file to import');
  if (mode === 'create' || !(await exists(options))) await createFromFiles(options);
  const write = mode === 'overwrite' ? overwriteRows : appendRows;
  return write({ catalog, table }, input);
}

async function exists({ catalog, table }: ImportOptions): Promise<boolean> {
  const known: readonly string[] = await listTables(catalog).catch(() => []);
  return known.includes(table);
}

async function createFromFiles(options: ImportOptions): Promise<void> {
  const staged = await stageInput({ kind: 'files', paths: options.files });
  const session = await WriterSession.open(staged.paths, []);
  try {
    const columns = await describeInput(session, staged);
    const schema = inferSchema(columns, options.key ?? [], options.formatVersion ?? 2);
    const spec = parsePartitionBy(options.partitionBy ?? '', schema);
    const { catalog, table, formatVersion } = options;
    await createTable(catalog, table, { schema, spec, formatVersion });
  } finally {
    session.close();
    await staged.dispose();
  }
}
