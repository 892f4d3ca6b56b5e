/**
 * A repository: a folder, or a part of a bucket, with published indexes and backups of any number
 * of indexes (docs/format.md, "Published indexes").
 */
import { randomUUID } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { createFirst, openObjectStore } from '@lakehouse-search/lake/internal';
import { inStore } from '../source/store-errors.ts';
import { isEnd } from './chain.ts';
import { unknownVersion } from './manifest.ts';
import { encodeStored, type Home, readStored } from './stored-json.ts';

/** The key of the object that marks a place. */
export const MARK = 'repository.json';
const VERSION = 2;
const TEXT = encodeStored({ format: 'lhs-repository', version: VERSION }).toString();

const MARKS = { maxBytes: 4096, check: versionOf, fault: noMark };

function noMark(path: string, what: string, cause?: unknown): LhsError {
  return new LhsError('corrupt_index', `"${path}" is no mark of indexes and backups: ${what}`, {
    hint: 'a backup there writes it again once it is removed; a repair does both:',
    next: [{ step: 'repair' }],
    details: { file: path },
    cause,
  });
}

/** Opens the store of a place. */
export const openHome = async (place: string): Promise<Home> => ({
  store: await openObjectStore(place),
  place,
});

/**
 * Opens a repository; makes it, or marks a former one as one that older versions leave alone, if
 * `make` is set. Null if there is none. Throws unsupported for an unknown version or a store that
 * ignores conditions, corrupt_index, and as `inStore`.
 */
export async function openRepository(
  place: string,
  make: boolean,
  signal?: AbortSignal,
): Promise<Home | null> {
  return inStore(async () => {
    const home = await openHome(place);
    if (make) await markHome(home, signal);
    return make || (await isRepository(home, signal)) ? home : null;
  });
}

/** Whether a place is a repository. Throws as `openRepository`, but for `inStore`. */
export const isRepository = async (home: Home, signal?: AbortSignal): Promise<boolean> =>
  (await readStored(home, MARK, MARKS, signal)) !== null;

/** Marks a place as a repository, if it is not yet. Throws as `openRepository`. */
export async function markHome(home: Home, signal?: AbortSignal): Promise<void> {
  const { store, place } = home;
  const path = `${place}/${MARK}`;
  const mark = await readStored(home, MARK, MARKS, signal);
  if (mark?.value === VERSION) return;
  if (mark === null) {
    if (await createFirst(store, MARK, TEXT, { path, signal })) return;
    // another process was faster, or the server counts versions that were deleted
    if (!(await isRepository(home, signal))) await store.put(MARK, Buffer.from(TEXT), { signal });
    return;
  }
  await store.put(MARK, Buffer.from(TEXT), { condition: { etag: mark.etag }, signal });
}

/**
 * Removes the mark of a place that has neither indexes nor backups. Who writes the first object of
 * an index or a backup marks the place again after it, if that came meanwhile.
 */
export async function unmarkEmpty(home: Home): Promise<void> {
  if (await isUsed(home)) return;
  await home.store.delete([MARK]);
  if (await isUsed(home)) await markHome(home);
}

/** Whether a place has more than the signs of indexes that were dropped. */
async function isUsed({ store }: Home): Promise<boolean> {
  for (const prefix of ['indexes/', '']) {
    for await (const { key } of store.list(prefix)) if (key !== MARK && !isEnd(key)) return true;
  }
  return false;
}

/** Writes an object under a condition and deletes it. Throws as `markHome`. */
export async function tryWrite({ store, place }: Home, signal?: AbortSignal): Promise<void> {
  const key = `trial-${randomUUID()}`;
  await createFirst(store, key, 'trial', { path: `${place}/${key}`, signal });
  await store.delete([key], signal);
}

function versionOf(json: unknown, path: string): number {
  const { format, version } = json as { readonly format?: unknown; readonly version?: unknown };
  const written = format === 'lhs-backups' ? 1 : VERSION;
  if (written === VERSION && format !== 'lhs-repository')
    throw noMark(path, 'it has another format');
  if (version !== written) throw unknownVersion(path, version, written);
  return written;
}
