import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { LakeError } from '../../base/errors.ts';
import type { Snapshot } from '../../metadata/snapshot.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';

/**
 * How much of a followed file is in a table. It is in the summary of the snapshot that added the
 * lines, so both are committed together.
 */
export interface FollowPosition {
  readonly inode: string;
  /** Bytes that are in the table. */
  readonly offset: number;
  /** Lines in these bytes. */
  readonly lines: number;
  /** Digest of the first bytes: inodes are used again, and files are written anew. */
  readonly head: string;
  /** What the lines of a text are, as it was found at first; null for other files. */
  readonly log: string | null;
}

/** Prefix of the keys that `carriedPositions` takes. */
const FOLLOW_PREFIX = 'lhs.follow.';

const HEAD_BYTES = 256;

/** The summary of a snapshot with this position. */
export const positionSummary = (file: string, position: FollowPosition) => ({
  [FOLLOW_PREFIX + file]: JSON.stringify(position),
});

/** The newest position of a file in the snapshots of `main`; null if there is none. */
export function positionIn(metadata: TableMetadata, file: string): FollowPosition | null {
  for (let id = metadata.currentSnapshotId; id !== null; ) {
    const found = metadata.snapshots.find((snapshot) => snapshot.id === id);
    const text = found?.summary[FOLLOW_PREFIX + file];
    if (text !== undefined) return positionOf(text, file);
    id = found?.parentId ?? null;
  }
  return null;
}

function positionOf(text: string, file: string): FollowPosition {
  try {
    const { inode, offset, lines, head, log } = JSON.parse(text) as FollowPosition;
    if (Number.isSafeInteger(offset) && Number.isSafeInteger(lines)) {
      return { inode: String(inode), offset, lines, head: String(head), log };
    }
  } catch {
    // no position of ours
  }
  const message = `the table names no readable position of "${file}": ${text.slice(0, 200)}`;
  throw new LakeError('metadata_invalid', message);
}

/** The positions that a snapshot hands on to the next one. */
export function carriedPositions(parent: Snapshot | null): Readonly<Record<string, string>> {
  const entries = Object.entries(parent?.summary ?? {});
  return Object.fromEntries(entries.filter(([key]) => key.startsWith(FOLLOW_PREFIX)));
}

/** A file as it is now. */
export interface FileState {
  readonly path: string;
  readonly inode: string;
  readonly size: number;
  readonly modifiedNs: bigint;
}

/** The state of a file; null if there is none. */
export async function fileState(path: string): Promise<FileState | null> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
    return { path, inode: String(ino), size: Number(size), modifiedNs: mtimeNs };
  } finally {
    await handle.close();
  }
}

/** The digest of the first bytes of a file, of at most `offset`. */
export async function headOf(path: string, offset: number): Promise<string> {
  const handle = await open(path);
  try {
    return await digest(handle, Math.min(offset, HEAD_BYTES));
  } finally {
    await handle.close();
  }
}

async function digest(handle: FileHandle, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 16);
}

/** Whether a file is the one of a position, grown or not. */
export async function isFileOf(
  { inode, offset, head }: FollowPosition,
  state: FileState,
): Promise<boolean> {
  if (inode !== state.inode || state.size < offset) return false;
  return (await headOf(state.path, offset)) === head;
}
