import { LhsError } from '@lakehouse-search/contract';
import {
  type CatalogConfig,
  openTable,
  type SourceTable,
  type TableConfig,
} from '@lakehouse-search/lake';
import { refuseOrcFiles } from '@lakehouse-search/lake/internal';
import type { Definition } from '../schema/definition.ts';
import { resolveCatalog, resolvePath } from '../schema/parse/resolve-catalog.ts';
import { fromSource, unlessAborted } from './source-errors.ts';

/**
 * A definition's source as the lake takes it: relative paths are resolved against the definition's
 * own folder.
 */
function tableConfig(source: Definition['source'], baseDir: string): TableConfig {
  if ('path' in source) {
    const { s3 } = source;
    return { path: resolvePath(source.path, baseDir), ...(s3 === undefined ? {} : { s3 }) };
  }
  return { catalog: resolveCatalog(source.catalog, baseDir), table: source.table };
}

/**
 * Opens the table of a definition at its newest version. Throws source_not_found, source_invalid,
 * source_unreachable, …, and interrupted as soon as `signal` aborts. Its schemas have the column
 * of `key: row`, unless `rowKeys` is false.
 */
export async function openSource(
  source: Definition['source'],
  baseDir: string,
  signal?: AbortSignal,
  rowKeys = true,
): Promise<SourceTable> {
  const opening = fromSource(() => openTable(tableConfig(source, baseDir), { signal, rowKeys }));
  try {
    return await unlessAborted(() => opening, signal);
  } catch (error) {
    // A table that is there only now is nobody's.
    opening.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

/**
 * The snapshot that the index follows: of `source.ref`, else the current one; null for a table
 * without any.
 */
export function followedSnapshot(table: SourceTable, ref: string | undefined): bigint | null {
  return ref === undefined ? table.currentSnapshotId : refSnapshot(table, ref, 'source.ref: ');
}

/**
 * Throws `unsupported` if files of the snapshot that an index would follow are of a format that is
 * not read. Only manifests are read for it.
 */
export async function requireReadableFiles(
  table: SourceTable,
  ref: string | undefined,
): Promise<void> {
  const named = table.refs.find(({ name }) => name === ref);
  const snapshot = ref === undefined ? table.currentSnapshotId : (named?.snapshotId ?? null);
  await fromSource(async () => refuseOrcFiles(await table.files(snapshot)));
}

/**
 * The snapshot that a person names: an id, or a branch or tag. Throws not_found, invalid_argument.
 */
export function namedSnapshot(table: SourceTable, name: string): bigint {
  if (!/^\d{1,19}$/.test(name)) return refSnapshot(table, name);
  const id = BigInt(name);
  if (table.snapshots.some((snapshot) => snapshot.id === id)) return id;
  throw new LhsError('not_found', `snapshot ${name} is not in ${table.name}`, {
    hint: 'old snapshots may have been expired',
    next: [{ step: 'list_snapshots' }],
  });
}

function refSnapshot(table: SourceTable, name: string, what = ''): bigint {
  const ref = table.refs.find((candidate) => candidate.name === name);
  if (ref !== undefined) return ref.snapshotId;
  const names = table.refs.map((candidate) => candidate.name).join(', ');
  throw new LhsError(
    'not_found',
    `${what}"${name}" is no snapshot, branch or tag of ${table.name}`,
    {
      hint: names === '' ? 'the table has no branches and no tags' : `branches and tags: ${names}`,
    },
  );
}

/** Where the table is when the caller knows better than the definition. */
export function sourceInstead(
  own: Definition['source'],
  source: TableConfig | { readonly catalog: CatalogConfig } | undefined,
): Definition['source'] {
  if (source === undefined || 'path' in source) return source ?? own;
  if ('table' in source) return source;
  if ('table' in own) return { ...own, catalog: source.catalog };
  throw new LhsError(
    'invalid_argument',
    `the definition names a path, "${own.path}", and no table`,
    {
      hint: 'name a path instead of a catalog',
    },
  );
}
