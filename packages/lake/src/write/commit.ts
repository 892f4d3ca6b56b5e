import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { LakeError } from '../base/errors.ts';
import { formatJson, type JsonObject } from '../base/json.ts';
import { isS3 } from '../base/object-storage.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import { withLog } from './next-metadata.ts';

/**
 * The next metadata and the recorded paths of files that must go again if the commit does not come
 * about.
 */
export interface Prepared {
  readonly metadata: JsonObject;
  readonly written: readonly string[];
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
      await Promise.all(
        prepared.written.map((path) => rm(handle.files.resolve(path), { force: true })),
      );
      if (!(error instanceof LakeError) || error.code !== 'commit_conflict' || attempt === TRIES)
        throw error;
      await setTimeout(BACKOFF_MS * attempt * (0.5 + Math.random()));
      handle = await handle.refresh();
    }
  }
}

function readOnly(handle: TableHandle): LakeError {
  const { root } = handle.files;
  if (isS3(root)) {
    const message = `table "${handle.name}" is on S3 ("${root}"): only local tables are written`;
    return new LakeError('unsupported', message, { file: root });
  }
  return new LakeError(
    'unsupported',
    `table "${handle.name}" takes no commits from here: it is read through a bare path ` +
      'or a REST catalog',
    { details: { expected: 'a filesystem or SQL catalog' } },
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
