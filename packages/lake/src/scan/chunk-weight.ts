/**
 * Whether DuckDB can be given a Parquet file. It hands over 2,048 rows at a time and copies every
 * text of theirs, several chunks ahead and outside its memory limit; a few references to a large
 * dictionary value, or pages that compress a thousandfold, are gigabytes then.
 *
 * 1. Page headers bound what 2,048 rows of a column can be: plain pages hold their own bytes, a
 *    reference is at most as long as the longest value of the dictionary.
 * 2. Where that is too much, DuckDB itself counts the bytes of top-level texts, which it does
 *    without copying any.
 * 3. Columns of lists have no fixed number of values in 2,048 rows: they are taken at the average,
 *    unless the whole chunk grows a thousandfold.
 */
import { LIMITS } from '../base/limits.ts';
import type { GroupNode, LeafNode } from '../parquet/schema-tree.ts';
import { type ChunkPages, VALUE_BYTES, WINDOW_VALUES } from './page-sizes.ts';

const GROWTH = 1000;
const GROWTH_FROM_BYTES = 1024 * 1024;

/** Counts the bytes of texts in the heaviest `WINDOW_VALUES` rows. */
export type WeighRows = (leaves: readonly LeafNode[]) => Promise<number>;

/** Whether any 2,048 rows of the columns below `root` fit into `LIMITS.duckdbChunkBytes`. */
export async function chunksFit(
  root: GroupNode,
  pages: readonly ChunkPages[],
  weigh: WeighRows,
): Promise<boolean> {
  const most = LIMITS.duckdbChunkBytes;
  const bounds = new Map<LeafNode, number>();
  for (const chunk of pages) {
    bounds.set(chunk.leaf, Math.max(boundOf(chunk), bounds.get(chunk.leaf) ?? 0));
  }
  const sum = (leaves: readonly LeafNode[]) =>
    leaves.reduce((all, leaf) => all + (bounds.get(leaf) ?? 0), 0);
  const leaves = [...bounds.keys()];
  if (sum(leaves) <= most) return true;
  const heavy = leaves.filter((leaf) => (bounds.get(leaf) ?? 0) * leaves.length > most);
  if (!heavy.every((leaf) => isText(leaf) && root.children.includes(leaf))) return false;
  const rest = sum(leaves.filter((leaf) => !heavy.includes(leaf)));
  return rest <= most && rest + (await weigh(heavy)) <= most;
}

function isText({ physical, logical }: LeafNode): boolean {
  return physical === 'byte_array' && (logical.kind === 'string' || logical.kind === 'none');
}

function boundOf(chunk: ChunkPages): number {
  const { leaf, rows, values, references, longestBytes, plainBytes, windowBytes } = chunk;
  if (leaf.repeat === 0) return Math.min(WINDOW_VALUES, references) * longestBytes + windowBytes;
  const all = references * longestBytes + plainBytes + values * VALUE_BYTES;
  const stored = Math.max(chunk.storedBytes, GROWTH_FROM_BYTES);
  if (all > GROWTH * stored) return Number.POSITIVE_INFINITY;
  return Math.ceil((all / Math.max(1, rows)) * WINDOW_VALUES);
}
