import { setTimeout } from 'node:timers/promises';
import { LakeError } from '../../base/errors.ts';
import type { FileStore } from '../../base/files/file-store.ts';
import { formatJson, type JsonObject } from '../../base/json.ts';
import { isOutcomeUnknown, type TableHandle } from '../../catalog/table-handle.ts';
import { withLog } from './next-metadata.ts';

/**
 * The next metadata and the recorded paths of files that must go again if the commit does not come
 * about.
 */
export interface Prepared {
  readonly metadata: JsonObject;
  readonly written: readonly string[];
  /** The snapshot that the metadata adds, if it adds one. */
  readonly snapshotId?: bigint;
}

const TRIES = 8;
const BACKOFF_MS = 25;

/**
 * Commits: prepares the next version from the newest one and makes it current. If another writer
 * was faster, the prepared files are removed and everything starts again from the newer version
 * (optimistic concurrency, format/spec.md). `prepare` returns null if there is nothing to commit.
 * Returns the handle that is current afterwards. Throws commit_conflict after eight tries.
 */
export async function commitTable(
  table: TableHandle,
  prepare: (table: TableHandle) => Promise<Prepared | null>,
): Promise<TableHandle> {
  let handle = await table.refresh();
  for (let attempt = 1; ; attempt++) {
    if (handle.commit === null) throw readOnly(handle);
    const prepared = await prepare(handle);
    if (prepared === null) return handle;
    try {
      const { location, lastUpdatedMs } = handle.metadata;
      const previous = `${location.replace(/\/+$/, '')}/metadata/${baseName(handle.metadata.file)}`;
      const json = withLog(prepared.metadata, previous, lastUpdatedMs);
      return await handle.commit.commitMetadata(formatJson(json));
    } catch (error) {
      const now = await committed(error, prepared, () => handle.refresh());
      if (now !== null) return now;
      const { store, resolve } = handle.files;
      await discard(
        error,
        store,
        prepared.written.map((path) => ({ real: resolve(path) })),
      );
      if (!(error instanceof LakeError) || error.reason !== 'commit_conflict' || attempt === TRIES)
        throw error;
      await setTimeout(BACKOFF_MS * attempt * (0.5 + Math.random()));
      handle = await handle.refresh();
    }
  }
}

/**
 * The table with the snapshot of a commit whose answer was lost, or null if the table does not have
 * it.
 */
export async function committed(
  error: unknown,
  { snapshotId }: Pick<Prepared, 'snapshotId'>,
  current: () => Promise<TableHandle>,
): Promise<TableHandle | null> {
  if (snapshotId === undefined || !isOutcomeUnknown(error)) return null;
  const now = await current().catch(() => null);
  return now?.metadata.snapshots.some(({ id }) => id === snapshotId) ? now : null;
}

/** Removes the files of a commit that failed. They stay if the commit may still come about. */
export async function discard(
  error: unknown,
  store: FileStore,
  files: readonly { readonly real: string }[],
): Promise<void> {
  if (!isOutcomeUnknown(error)) await store.remove(files.map(({ real }) => real));
}

function readOnly(handle: TableHandle): LakeError {
  return new LakeError(
    'unsupported',
    `table "${handle.name}" takes no commits from here: it is one of its metadata files, is ` +
      'written by another catalog, or its catalog restricts what is read',
    { details: { expected: 'the catalog of the table' } },
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
