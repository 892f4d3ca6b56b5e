/**
 * Edits that tests make through a writer, by what a sync does: documents at places are marked,
 * settled or deleted.
 */
import { openSnapshot } from '../../packages/engine/src/index/index-snapshot.ts';
import { type IndexWriter, VERDICT } from '../../packages/engine/src/index/index-writer.ts';
import type { Directory } from '../../packages/engine/src/storage/directory.ts';

/** Where the row of a document lies. */
export interface Place {
  readonly file: number;
  readonly position: number;
}

/** Deletes the documents whose rows lie at these places; returns how many there were. */
export function deleteAt(writer: IndexWriter, places: readonly Place[]): number {
  const byFile = Map.groupBy(places, ({ file }) => file);
  writer.markPositions(
    new Map(
      [...byFile].map(([file, here]) => [
        file,
        Int32Array.from(here, ({ position }) => position).sort(),
      ]),
    ),
  );
  return writer.deleteMarked();
}

/** Gives the document of a key, whose row lies at `from`, a new place; false: there is none. */
export function moveTo(
  writer: IndexWriter,
  { key, hash, from, to }: { key: Uint8Array; hash: bigint; from: Place; to: Place },
): boolean {
  writer.markPositions(new Map([[from.file, Int32Array.of(from.position)]]));
  const [verdict] = writer.settle({
    keys: { offsets: Int32Array.of(0, key.length), bytes: key },
    hashes: BigUint64Array.of(hash),
    file: to.file,
    positions: Int32Array.of(to.position),
  });
  return verdict === VERDICT.same;
}

/** The documents of a directory's newest commit that have a key, deleted ones left out. */
export function committedDocs(directory: Directory, key: Uint8Array) {
  const snapshot = openSnapshot(directory);
  try {
    return snapshot.segments.flatMap((segment) =>
      segment.keys.findAll(key).map((doc) => ({
        segment: segment.id,
        doc,
        hash: segment.rowHashes[doc],
        from: { file: segment.locators.file(doc), position: segment.locators.position(doc) },
      })),
    );
  } finally {
    snapshot.release();
  }
}

/** Deletes the committed documents of a key, wherever their rows are said to lie. */
export function deleteCommitted(writer: IndexWriter, directory: Directory, key: Uint8Array): void {
  for (const { segment, doc } of committedDocs(directory, key)) writer.deleteDocs(segment, [doc]);
}
