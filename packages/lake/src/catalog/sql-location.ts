import { dirname, isAbsolute, join, resolve as resolvePath } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { below, kindOfPath, normalizeRecorded } from '../base/files/table-files.ts';
import { isObjectPath, refuseOtherStores } from '../base/object-storage.ts';
import { resolvePlace } from '../base/place.ts';

/**
 * The location of a metadata file that a SQL catalog records. In order:
 * 1. with a warehouse: below it as recorded, or its longest tail that exists there
 *    (`/lake/wh/ns/t/metadata/f` in `/real` is `/real/ns/t/metadata/f`, or `/real/t/metadata/f`):
 *    the warehouse was moved;
 * 2. the path as recorded;
 * 3. without a warehouse: such a tail beside the database file, or in the folder above it.
 *
 * Throws unsupported for object storage, path_refused for other schemes and for `..`,
 * metadata_invalid if nothing is found.
 */
export async function locateMetadata(
  recorded: string,
  warehouse: string | null,
  databaseFile: string | null,
): Promise<{ readonly path: string; readonly warehouse: string | null }> {
  const path = normalizeRecorded(recorded);
  refuseOtherStores(path);
  if (isObjectPath(path) && !/(^|\/)\.\.(\/|$)/.test(path) && !path.includes('\0')) {
    return { path, warehouse: warehouse === null ? null : resolvePlace(warehouse) };
  }
  if (!isAbsolute(path) || /(^|\/)\.\.(\/|$)/.test(path) || path.includes('\0')) {
    throw new LakeError('path_refused', `metadata location "${recorded}" is not a local path`, {
      file: recorded,
    });
  }
  const given = warehouse === null ? null : resolvePlace(warehouse);
  if (given !== null) {
    const found = below(path, given) !== null ? path : await tailBelow(given, path);
    if (found !== null) return { path: found, warehouse: given };
  }
  if ((await kindOfPath(path)) === 'file') return { path, warehouse: given };
  for (const root of given === null ? nearby(databaseFile) : []) {
    const found = await tailBelow(root, path);
    if (found !== null) return { path: found, warehouse: root };
  }
  throw new LakeError(
    'metadata_invalid',
    `metadata file "${recorded}" is not there; if the warehouse was moved, name its ` +
      'folder as "warehouse"',
    { file: recorded },
  );
}

function nearby(databaseFile: string | null): readonly string[] {
  if (databaseFile === null) return [];
  const folder = dirname(resolvePath(databaseFile));
  return [folder, dirname(folder)];
}

/**
 * Folder of a table, `metadata` and the file itself: a shorter tail could belong to another table.
 */
const SHORTEST_TAIL = 3;

async function tailBelow(root: string, path: string): Promise<string | null> {
  const parts = path.split('/').slice(1);
  for (let from = 0; parts.length - from >= SHORTEST_TAIL; from++) {
    const candidate = join(root, ...parts.slice(from));
    if ((await kindOfPath(candidate)) === 'file') return candidate;
  }
  return null;
}
