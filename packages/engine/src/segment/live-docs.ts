/**
 * Which documents of a segment are deleted. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | i32 deleted | zero
 *   1 bits  i32[8 x ceil(docs / 256)]: bit d & 31 of word d >> 5 is set when document d is deleted;
 *           bits at and beyond `docs` are 0
 */
import { countBits, wordsOf } from '../bitmap/bitmap.ts';
import type { Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections, packSections } from '../storage/sections.ts';

/** Deleted documents of a segment: whole ranges of 256 documents. */
export interface LiveDocs {
  readonly docs: number;
  readonly deletedDocs: number;
  readonly deleted: Int32Array;
}

/** The payload's parts. */
export function encodeLiveDocs(live: LiveDocs): Uint8Array[] {
  return packSections([Int32Array.of(live.docs, live.deletedDocs, 0, 0), live.deleted]);
}

/** Opens a payload; the bits lie on the arena. Throws corrupt_index when count and bits differ. */
export function openLiveDocs(payload: Region, path: string): LiveDocs {
  const sections = openSections(payload, 2, path);
  const [docs, deletedDocs] = sections.i32(0);
  const deleted = sections.i32(1);
  if (deleted.length !== wordsOf(docs) || countBits(deleted) !== deletedDocs) {
    throw corrupt(path, 'its bits do not fit its head');
  }
  return { docs, deletedDocs, deleted };
}
