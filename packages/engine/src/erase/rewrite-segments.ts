import { readCommit } from '../index/commits/commit.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { Verification } from '../storage/verification.ts';
import { type ForcedMerges, withForcedMerges } from '../sync/build/forced-merges.ts';
import type { ErasedKeys } from './erased-keys.ts';

/** A generation to rewrite: its index is locked. */
export interface RewriteRequest extends ForcedMerges {
  readonly keys: ErasedKeys;
}

/**
 * Writes each segment again that has deleted documents with one of the keys, removes files that no
 * commit names, and forgets skipped rows that mention a key. One commit makes it visible; stopped
 * before that, the commit before stays in force. Returns the number of segments. Throws disk_short,
 * interrupted, disk_full, io_error.
 */
export async function rewriteSegments(request: RewriteRequest): Promise<number> {
  const { directory, keys } = request;
  const before = readCommit(directory);
  if (before === null) return 0;
  const ids = new Set(
    before.segments.filter((entry) => holdsKey(request, entry)).map(({ id }) => id),
  );
  const { skipped, checkpoint, files } = before;
  const first = skipped?.first.filter(
    ({ key, reason }) => keys.mentionedIn(`${key ?? ''}\n${reason}`) === undefined,
  );
  const forgets = first !== undefined && first.length < (skipped?.first.length ?? 0);
  return withForcedMerges(request, before, async (writer, merges, options) => {
    if (ids.size > 0) await merges.rewrite(ids, options);
    if (ids.size > 0 || forgets) {
      const left = forgets && skipped !== undefined ? { skipped: { ...skipped, first } } : {};
      await writer.commitPublished({ checkpoint, files, ...left });
    }
    return ids.size;
  });
}

/** Whether a segment has a deleted document with one of the keys. */
export function holdsKey(
  { directory, keys }: RewriteRequest,
  entry: Parameters<typeof SegmentReader.open>[1],
): boolean {
  if (entry.deletedDocs === 0) return false;
  const reader = SegmentReader.open(directory, entry, new Verification(directory));
  try {
    let holds = false;
    keys.find(reader.keys, (_, doc) => {
      holds ||= reader.isDeleted(doc);
    });
    return holds;
  } finally {
    reader.release();
  }
}
