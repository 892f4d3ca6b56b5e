import { glob, open, readdir, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { LakeError } from '../../base/errors.ts';
import { fileFault } from '../../base/files/local-file.ts';
import { EXPORT, tableAround } from '../../base/foreign-table.ts';

/** How DuckDB reads an input. */
export type InputFormat = 'parquet' | 'csv' | 'json';

/** What an input is: formats beside DuckDB's are converted into them first. */
export type InputKind = InputFormat | 'lines' | 'arrow' | 'avro' | 'xlsx' | 'zip';

const KINDS: Readonly<Record<string, InputKind>> = Object.freeze({
  '.parquet': 'parquet',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.psv': 'csv',
  '.tab': 'csv',
  '.ndjson': 'json',
  '.jsonl': 'json',
  '.json': 'json',
  '.geojson': 'json',
  '.log': 'lines',
  '.txt': 'lines',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.feather': 'arrow',
  '.avro': 'avro',
  '.xlsx': 'xlsx',
  '.zip': 'zip',
});
const TEXTS: ReadonlySet<string> = new Set(['csv', 'json', 'lines']);
const ENDINGS =
  'files end in .parquet, .csv, .tsv, .tab, .psv, .ndjson, .jsonl, .json, .geojson, .log, .txt, ' +
  '.arrow, .feather, .avro, .xlsx or .zip; text may be compressed (.gz, .zst), ' +
  'and logs may be rotated (.log.1)';

/** Patterns of one kind that an error names. */
const NAMED_PATTERNS = 3;

/** How a text file is compressed. */
export type Compression = 'gzip' | 'zstd';
const COMPRESSIONS: Readonly<Record<string, Compression>> = Object.freeze({
  '.gz': 'gzip',
  '.zst': 'zstd',
});

/** An input file: its absolute path, how it is compressed, and its name in messages. */
export interface InputFile {
  readonly path: string;
  readonly compression: Compression | null;
  readonly shown: string;
  /** Empty lines before the first line of CSV. */
  readonly linesBefore?: number;
}

/** Files of one kind. */
export interface InputFiles {
  readonly files: readonly InputFile[];
  readonly kind: InputKind;
}

/**
 * Input files and their common kind: `kind` if it is given, else by their endings. Names may be
 * patterns and folders. Throws input_not_found if a file is missing, permission_denied,
 * invalid_argument if it is not a file, has an unknown ending, or kinds differ.
 */
export async function checkedFiles(
  patterns: readonly string[],
  kind?: InputKind,
): Promise<InputFiles> {
  const names = (await Promise.all(patterns.map(namesOf))).flat();
  for (const name of names) await (await open(name).catch(unread(name))).close();
  const common = kind ?? commonKind(names, patternsOf(names));
  if (common === 'parquet') for (const name of names) await refuseTableFile(name);
  return { files: names.map(inputFile), kind: common };
}

const unread = (name: string) => (error: unknown) => {
  throw fileFault(error, name, 'invalid_argument');
};

const inputFile = (name: string): InputFile => ({
  path: resolve(name),
  compression: compressionOf(name),
  shown: `"${name}"`,
});

/** The kind of files by their endings. `patterns`: of one kind, for errors. Throws as `checkedFiles`. */
export function commonKind(names: readonly string[], patterns: readonly string[] = []): InputKind {
  const kinds = names.map((name) => kindOf(name, patterns));
  const other = kinds.findIndex((kind) => kind !== kinds[0]);
  if (other > 0) {
    throw refuse(
      names[other],
      `"${names[0]}" and "${names[other]}" are of different kinds (${kinds[0]}, ` +
        `${kinds[other]}); import each kind by itself`,
      { option: 'kind', patterns },
    );
  }
  return kinds[0];
}

/**
 * A file of a table may have rows that the table has deleted or replaced: only the table's own log
 * knows. Throws `unsupported`.
 */
async function refuseTableFile(name: string): Promise<void> {
  const table = await tableAround(name);
  if (table === null) return;
  const { format, folder } = table;
  const way = format === 'Iceberg' ? 'read the table itself instead' : EXPORT;
  throw new LakeError(
    'unsupported',
    `"${name}" belongs to the ${format} table "${folder}", whose deleted rows it may still have; ` +
      way,
    { file: name, details: { table: folder, format } },
  );
}

/** The files that a name stands for: itself, those below a folder, those of a pattern. */
async function namesOf(name: string): Promise<readonly string[]> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name)) {
    const message = `"${name}" is an address: files to import are in local folders`;
    throw new LakeError('unsupported', `${message}, or come from standard input`, {
      file: name,
      details: { option: 'address' },
    });
  }
  const found = await stat(name).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    const isMissing = found.code === 'ENOENT' || found.code === 'ENOTDIR';
    if (!isMissing) throw refuse(name, `cannot read "${name}" (${found.code ?? found.message})`);
    const matches = /[*?[{]/.test(name) ? await Array.fromAsync(glob(name)) : [];
    if (matches.length > 0) return (await Promise.all(matches.sort().map(namesOf))).flat();
    throw new LakeError('input_not_found', `no file "${name}"`, {
      file: name,
      details: { option: 'file', file: name },
    });
  }
  if (found.isDirectory()) return folderFiles(name);
  if (!found.isFile()) throw refuse(name, `"${name}" is not a regular file; save it as one first`);
  if (/[*?[\]]/.test(name)) {
    throw refuse(
      name,
      `"${name}" has *, ?, [ or ] in its name, which stand for patterns; rename it`,
    );
  }
  return [name];
}

/** Files and folders that begin with `_` or `.` are marks of other programs. */
async function folderFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    unread(folder),
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|[\\/])[._]/.test(relative(folder, path)))
    .sort();
  if (files.length === 0) throw refuse(folder, `the folder "${folder}" has no files to import`);
  await refuseTableFile(files[0]);
  return files;
}

/** How a file of this name is compressed. */
export const compressionOf = (name: string): Compression | null =>
  COMPRESSIONS[extname(name).toLowerCase()] ?? null;

/** Whether the ending of a name says what the file is. */
export function hasKnownEnding(name: string): boolean {
  const isCompressed = compressionOf(name) !== null;
  return Object.hasOwn(KINDS, endingOf(isCompressed ? name.slice(0, -extname(name).length) : name));
}

/** The ending of a name without a compression, and without the number or day of a rotated log. */
const endingOf = (name: string): string =>
  extname(name.replace(/(\.(?:log|txt))[.-]\d[\d.T:_-]*$/i, '$1')).toLowerCase();

function kindOf(name: string, patterns: readonly string[]): InputKind {
  const isCompressed = compressionOf(name) !== null;
  const inner = isCompressed ? name.slice(0, -extname(name).length) : name;
  const ending = endingOf(inner);
  const kind = KINDS[ending];
  if (kind !== undefined && isCompressed && !TEXTS.has(kind)) {
    const label = kind === 'parquet' ? 'Parquet' : ending;
    throw refuse(name, `"${name}" is a compressed ${label} file; decompress it first`);
  }
  if (kind !== undefined) return kind;
  const what = ending === '' ? 'its name has no ending' : `"${ending}" is not a known ending`;
  throw refuse(name, `cannot read "${name}": ${what}; ${ENDINGS}`, { option: 'kind', patterns });
}

/** Patterns of files with one known ending, those of outer folders first, then of the most files. */
function patternsOf(names: readonly string[]): readonly string[] {
  const patterns = names.filter(hasKnownEnding).map((name) => {
    const ending = extname(name);
    const isCompressed = compressionOf(name) !== null;
    const inner = isCompressed ? extname(name.slice(0, -ending.length)) : '';
    return join(dirname(name), `*${inner}${ending}`);
  });
  const counts = Map.groupBy(patterns, (pattern) => pattern);
  const ranked = [...counts].toSorted(
    ([a, as], [b, bs]) => depthOf(a) - depthOf(b) || bs.length - as.length,
  );
  return names.length < 2 ? [] : ranked.slice(0, NAMED_PATTERNS).map(([pattern]) => pattern);
}

const depthOf = (path: string): number => path.split(/[\\/]/).length;

function refuse(file: string, message: string, details: object = {}): LakeError {
  return new LakeError('invalid_argument', message, {
    file,
    details: { expected: ENDINGS, ...details },
  });
}
