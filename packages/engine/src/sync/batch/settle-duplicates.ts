import type { LhsError } from '@lakehouse-search/contract';
import type { StepOptions } from '../../base/steps.ts';
import { sharedKeyFault } from '../../documents/shared-key.ts';
import type { Duplicate, DuplicateDoc } from '../../index/duplicates.ts';
import type { IndexWriter } from '../../index/index-writer.ts';
import type { RowLocation } from '../../index/pending-segment.ts';
import { coordinatesOf, formatKey } from '../../schema/keys/key.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { FileTable } from './file-table.ts';

const KEYS_A_ROUND = 100_000;

/**
 * Makes no two live documents share a key. `on_duplicate_key: refuse`: throws source_invalid, which
 * names the first key and both rows. `last`: the row with the highest data sequence number stays,
 * then the last by file path, then by position. `report` receives the document that stays and all
 * documents of its key. Returns how many were dropped. Throws interrupted soon after the signal of
 * `work` aborts.
 */
export async function settleDuplicates(
  writer: IndexWriter,
  mapping: Mapping,
  files: FileTable,
  work: StepOptions,
  report?: (winner: DuplicateDoc, all: readonly DuplicateDoc[]) => void,
): Promise<number> {
  let dropped = 0;
  for (;;) {
    const refuse = mapping.definition.onDuplicateKey === 'refuse';
    const found = await writer.duplicatesInSteps(KEYS_A_ROUND, work);
    if (found.length === 0) return dropped;
    if (refuse) throw duplicateKey(found, writer.liveDocs, mapping, files);
    const losers = new Map<string, number[]>();
    for (const { locations: places } of found) {
      const last = places.reduce((a, b) => (comparePlaces(a, b, files) >= 0 ? a : b));
      for (const place of places) {
        if (place !== last) listOf(losers, place.segment).push(place.doc);
      }
      report?.(last, places);
    }
    for (const [segment, docs] of losers) dropped += writer.deleteDocs(segment, docs);
  }
}

function listOf(lists: Map<string, number[]>, name: string): number[] {
  const known = lists.get(name);
  if (known !== undefined) return known;
  const list: number[] = [];
  lists.set(name, list);
  return list;
}

function comparePlaces(a: RowLocation, b: RowLocation, files: FileTable): number {
  const sequence = files.sequenceOf(a.file) - files.sequenceOf(b.file);
  if (sequence !== 0n) return sequence > 0n ? 1 : -1;
  const paths = Buffer.compare(
    Buffer.from(files.pathOf(a.file)),
    Buffer.from(files.pathOf(b.file)),
  );
  return paths === 0 ? a.position - b.position : paths;
}

/** The error for the first of some keys that several rows have, of `of` rows. */
function duplicateKey(
  found: readonly Duplicate[],
  of: number,
  mapping: Mapping,
  files: FileTable,
): LhsError {
  const [{ key, locations }] = found;
  const [first, second] = locations.map(
    ({ file, position }) => `row ${position} of ${files.pathOf(file)}`,
  );
  return sharedKeyFault(mapping.definition, {
    key: formatKey(coordinatesOf(mapping.key, key)),
    rows: [first, second],
    extra: { rows: found.reduce((sum, one) => sum + one.locations.length - 1, 0), of },
  });
}
