import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { LakeError, type LakeErrorCode } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isObjectPath, oneSpelling, refuseOtherStores } from '../object-storage.ts';
import { resolvePlace, withSlashes } from '../place.ts';
import { type FileStore, localFiles } from './file-store.ts';

/**
 * Maps the paths that a table's metadata records to the current paths of its files.
 *
 * 1. A recorded path is normalised: `file:/a`, `file:///a`, `file://localhost/a` and `/a` are one;
 *    other schemes stay.
 * 2. A `..` segment, a NUL or an over-long path is refused whatever follows.
 * 3. Under a mapped prefix (the table's recorded location first), the rest is appended to the
 *    current path of the prefix.
 * 4. Else it must be a local path under an allowed root. Anything else is refused by name
 *    (`path_refused`; `unsupported` on object storage).
 *
 * Nothing is decoded: `%20` in a recorded path is three characters. Symbolic links are followed: a
 * user who can create one in the table's folder can write there anyway.
 */
export interface TableFiles {
  /** The current folder of the table, absolute. */
  readonly root: string;
  /** The folder that belongs to this table alone: files are created and removed only below it. */
  readonly own: string;
  /** The table's location as its metadata records it. */
  readonly location: string;
  /** Opens and reads the paths that `resolve` returns. */
  readonly store: FileStore;
  /** The real path of a recorded one. Throws path_refused, unsupported. */
  resolve(recorded: string): string;
  /**
   * All bytes of a recorded file. A missing file is `missing` (a code), an over-long one
   * limit_exceeded.
   */
  read(recorded: string, missing: LakeErrorCode, maxBytes?: number): Promise<Buffer>;
  /**
   * The recorded path of a new file, `<location>/<relative>`. Throws path_refused if the file would
   * be outside `own`.
   */
  record(relative: string): string;
}

/** A recorded prefix and the folder that it means now. */
export interface PathMapping {
  readonly recorded: string;
  readonly real: string;
}

/**
 * One spelling for each place: local paths become absolute paths, the schemes of an
 * object store become one (`s3a:` is `s3:`), other schemes stay as they are,
 * without a closing slash and without doubled or `.` segments (`./x` is `x`). Two recorded paths
 * name the same file when these are equal.
 */
export function normalizeRecorded(recorded: string): string {
  const local = /^file:(\/\/(localhost)?(?=\/))?/i.exec(recorded);
  if (local) return collapse(withSlashes(recorded.slice(local[0].length)));
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*)(.*)$/s.exec(recorded);
  if (scheme) return oneSpelling(scheme[1]!) + collapse(scheme[2]!);
  return collapse(withSlashes(recorded));
}

function collapse(path: string): string {
  if (!/\/\/|(^|\/)\.(\/|$)|\/$/.test(path)) return path;
  const kept = path.split('/').filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/')) return `/${kept.join('/')}`;
  return kept.length === 0 ? '.' : kept.join('/');
}

/** `path` relative to `prefix` (both normalised), or null if it is not below it. */
export function below(path: string, prefix: string): string | null {
  if (prefix === '/') return path.startsWith('/') ? path.slice(1) : null;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : null;
}

function refuse(recorded: string, why: string, location: string): never {
  const shown = recorded.length > 300 ? `${recorded.slice(0, 300)}…` : recorded;
  throw new LakeError(
    'path_refused',
    `path "${shown}" is refused: ${why}; the table's location is "${location}"`,
    { file: recorded, details: { path: recorded, location } },
  );
}

function checkShape(recorded: string, location: string): void {
  if (recorded === '') refuse(recorded, 'it is empty', location);
  if (recorded.length > LIMITS.pathChars) refuse(recorded, 'it is too long', location);
  if (recorded.includes('\0')) refuse(recorded, 'it holds a NUL', location);
  if (/(^|[/\\])\.\.([/\\]|$)/.test(recorded)) refuse(recorded, 'it holds ".."', location);
}

/** Keys may hold doubled slashes: an object is read under its name as recorded. */
function exact(recorded: string, path: string): string {
  return isObjectPath(path) ? oneSpelling(recorded) : path;
}

/**
 * Makes a resolver. `mappings` extend the table's own `location` -> `root`; `allowedRoots` are
 * local folders in which recorded paths are used unchanged. `own` defaults to `root`.
 */
export function createTableFiles(options: {
  readonly location: string;
  readonly root: string;
  readonly own?: string;
  readonly mappings?: readonly PathMapping[];
  readonly allowedRoots?: readonly string[];
  /** Default: the file systems of this machine. */
  readonly store?: FileStore | undefined;
}): TableFiles {
  const { location, store = localFiles } = options;
  const root = resolvePlace(options.root);
  const own = resolvePlace(options.own ?? root);
  const mappings = [{ recorded: location, real: root }, ...(options.mappings ?? [])]
    .map((m) => ({ recorded: normalizeRecorded(m.recorded), real: resolvePlace(m.real) }))
    .sort((a, b) => b.recorded.length - a.recorded.length);
  const allowed = [root, ...(options.allowedRoots ?? [])].map((r) => resolvePlace(r));

  const resolve = (recorded: string): string => {
    checkShape(recorded, location);
    const path = normalizeRecorded(recorded);
    for (const mapping of mappings) {
      const rest = below(path, mapping.recorded);
      if (rest === null) continue;
      const real = `${mapping.real === '/' ? '' : mapping.real}/${rest}`;
      return real === path ? exact(recorded, path) : real;
    }
    refuseOtherStores(path);
    if (!isObjectPath(path) && !isAbsolute(path))
      refuse(recorded, 'it is neither local nor under the location', location);
    if (allowed.some((r) => below(path, r) !== null)) return exact(recorded, path);
    return refuse(
      recorded,
      'it lies neither under the location nor under an allowed root; if you trust the ' +
        'table, add its ' +
        'folder to "allowed_roots" of the catalog or to LHS_ALLOWED_ROOTS',
      location,
    );
  };

  const record = (relative: string): string => {
    const recorded = `${location.replace(/\/+$/, '')}/${relative}`;
    if (below(resolve(recorded), own) !== null) return recorded;
    return refuse(recorded, `new files of this table must lie in "${own}"`, location);
  };

  return Object.freeze({
    root,
    own,
    location,
    store,
    resolve,
    read: (recorded: string, missing: LakeErrorCode, maxBytes?: number) =>
      store.read(resolve(recorded), missing, maxBytes ?? LIMITS.manifestBytes),
    record,
  });
}

/** Whether `path` is an existing regular file, folder, or nothing that can be seen. */
export async function kindOfPath(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    const info = await stat(path);
    return info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'none';
  } catch {
    return 'none';
  }
}
