import { LhsError } from '../base/errors.ts';
import type { Duplicate } from '../index/duplicates.ts';
import type { IndexWriter } from '../index/index-writer.ts';
import { coordinatesOf, formatKey } from '../schema/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { FileTable } from './file-table.ts';

const KEYS_A_ROUND = 100_000;
type Place = Duplicate['places'][number];

/**
 * Sees to it that no two live documents share a key. `on_duplicate_key: refuse`: throws
 * source_invalid, naming the first key and both places. `last`: the row with the highest data
 * sequence number stays, then the last by file path, then by position; returns how many were
 * dropped.
 */
export function settleDuplicates(writer: IndexWriter, mapping: Mapping, files: FileTable): number {
  let dropped = 0;
  for (;;) {
    const refuse = mapping.definition.onDuplicateKey === 'refuse';
    const found = writer.duplicates(refuse ? 1 : KEYS_A_ROUND);
    if (found.length === 0) return dropped;
    if (refuse) throw duplicateKey(found[0], mapping, files);
    for (const { places } of found) {
      const last = places.reduce((a, b) => (comparePlaces(a, b, files) >= 0 ? a : b));
      for (const place of places) {
        if (place === last) continue;
        dropped += writer.deleteRows(place.file, Int32Array.of(place.position));
      }
    }
  }
}

function comparePlaces(a: Place, b: Place, files: FileTable): number {
  const sequence = files.sequenceOf(a.file) - files.sequenceOf(b.file);
  if (sequence !== 0n) return sequence > 0n ? 1 : -1;
  const paths = Buffer.compare(
    Buffer.from(files.pathOf(a.file)),
    Buffer.from(files.pathOf(b.file)),
  );
  return paths === 0 ? a.position - b.position : paths;
}

function duplicateKey({ key, places }: Duplicate, mapping: Mapping, files: FileTable): LhsError {
  const shown = formatKey(coordinatesOf(mapping.key, key));
  const [first, second] = places.map(
    ({ file, position }) => `row ${position} of ${files.pathOf(file)}`,
  );
  return new LhsError('source_invalid', `key ${shown} stands in two rows: ${first} and ${second}`, {
    hint: 'take more columns into the key, mend the table, or say on_duplicate_key: last',
    details: { key: shown, places: [first, second] },
  });
}
