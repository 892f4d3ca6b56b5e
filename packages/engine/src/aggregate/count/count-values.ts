/** Counts by value where every value has a bitmap in its postings: a popcount each. */
import type { OrdinalColumn } from '../../columnar/ordinal-column.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { bitmapOf } from '../../postings/dense-terms.ts';
import { type Workspace, workspacesOf } from '../../scoring/workspace.ts';

/** Above so many values visiting the documents is cheaper, however many match. */
const MOST_VALUES = 32;
/** Documents whose bits are counted in the time of a visit to one. */
const A_VISIT = 250;

/** Byte addresses of the values' bitmaps by ordinal; null where some value has none. */
const bitmaps = new WeakMap<OrdinalColumn, readonly number[] | null>();

/**
 * Documents of `matches` by ordinal; null where some value has no bitmap or where visiting the
 * documents is cheaper. `postings`: those of the column's field.
 */
export function countValues(
  column: OrdinalColumn,
  postings: InvertedReader | null,
  matches: Int32Array,
): Int32Array | null {
  // Addresses are remembered: bytes of a cold file would have to be demanded each time.
  if (postings === null || postings.cold || column.size > MOST_VALUES) return null;
  let values = bitmaps.get(column);
  if (values === undefined) bitmaps.set(column, (values = bitmapsOf(column, postings)));
  if (values === null) return null;
  const own = values;
  return workspacesOf(postings.arena).lend((workspace) =>
    countAll(own, workspace, postings.docs, matches),
  );
}

function countAll(
  values: readonly number[],
  workspace: Workspace,
  docs: number,
  matches: Int32Array,
): Int32Array | null {
  const { bits } = workspace;
  const at = workspace.addressOf(matches, docs);
  const bytes = 4 * matches.length;
  if (bits.countAll([at], 0, bytes) * A_VISIT < docs * values.length) return null;
  return bits.countEach(values, at, bytes);
}

function bitmapsOf(column: OrdinalColumn, postings: InvertedReader): readonly number[] | null {
  const values: number[] = [];
  for (let ord = 0; ord < column.size; ord++) {
    const info = postings.lookup(column.bytesOf(ord));
    const at = info === null ? 0 : bitmapOf(postings, info);
    if (at === 0) return null;
    values.push(at);
  }
  return values;
}
