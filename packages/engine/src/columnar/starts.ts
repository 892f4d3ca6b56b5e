/** How a column's values lie: one slot a document, or documents with several values. */
import type { IntSink } from '../base/arrays/growing.ts';

/**
 * Appends the value counts of `docs` documents, given as starts of a block (docs + 1 entries), to
 * running starts whose last entry is the number of values so far.
 */
export function appendStarts(sink: IntSink, starts: Int32Array, docs: number): void {
  const shift = sink.at(sink.length - 1) - starts[0];
  for (let doc = 1; doc <= docs; doc++) sink.push(starts[doc] + shift);
}

/** True when no document has more than one value. */
export function atMostOne(starts: Int32Array): boolean {
  for (let i = 1; i < starts.length; i++) if (starts[i] - starts[i - 1] > 1) return false;
  return true;
}

/**
 * The starts that `docs` documents get under a document map (old -> new, -1 dropped): reader by
 * reader, appended to `sink`. Documents keep their order, so new numbers only ever grow.
 */
export function appendMappedCounts(
  sink: IntSink,
  docMap: Int32Array,
  count: (doc: number) => number,
): void {
  let last = sink.at(sink.length - 1);
  for (let doc = 0; doc < docMap.length; doc++) {
    if (docMap[doc] < 0) continue;
    last += count(doc);
    sink.push(last);
  }
}
