import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FolderEntries, localEntries } from './files/folder-entries.ts';

/** A folder that records which of the files beside and below it belong to a table. */
const LOGS: Readonly<Record<string, string>> = Object.freeze({
  _delta_log: 'Delta',
  '.hoodie': 'Hudi',
  _hudi: 'Hudi',
  _versions: 'Lance',
});

/** The format of the table of another kind that a folder with these entries is; null if none. */
export function foreignFormat({ folders }: FolderEntries): string | null {
  const log = folders.find((name) => Object.hasOwn(LOGS, name));
  return log === undefined ? null : LOGS[log]!;
}

/** What a folder that holds no Iceberg table has in it, and the way out. */
export function describeFolder(entries: FolderEntries): string {
  const format = foreignFormat(entries);
  if (format !== null) {
    return `it is a ${format} table, which is not read; ${EXPORT}`;
  }
  const isFile = (name: string) => /\.(parquet|csv|tsv|ndjson|jsonl)(\.(gz|zst))?$/i.test(name);
  if (entries.files.some(isFile)) return 'it has files without a table; import them into one';
  if (entries.folders.some((name) => name.includes('='))) {
    return 'it has partition folders without a table; import the files in them into one';
  }
  return 'expected "metadata/v1.metadata.json" or the like in it';
}

/** The way out for tables of other formats. */
export const EXPORT =
  'write its rows to new Parquet files or to an Iceberg table with a program that reads it';

/** The table to which a local file belongs: its format and its folder; null if there is none. */
export async function tableAround(
  file: string,
): Promise<{ readonly format: string; readonly folder: string } | null> {
  let folder = dirname(await realpath(file));
  for (;;) {
    const format = await formatOf(folder);
    if (format !== null) return { format, folder };
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

/** A folder that may not be read says nothing. */
async function formatOf(folder: string): Promise<string | null> {
  const nothing: FolderEntries = { files: [], folders: [] };
  const entries = await localEntries(folder).catch(() => nothing);
  const format = foreignFormat(entries);
  if (format !== null || !entries.folders.includes('metadata')) return format;
  const { files } = await localEntries(join(folder, 'metadata')).catch(() => nothing);
  return files.some((name) => /\.metadata\.json(\.gz)?$/.test(name)) ? 'Iceberg' : null;
}
