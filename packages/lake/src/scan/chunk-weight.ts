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
import { openLocalFile } from '../base/random-access-file.ts';
import type { FaultPlace } from '../parquet/fault.ts';
import type { Footer } from '../parquet/footer.ts';
import type { PageValues } from '../parquet/page-values.ts';
import { ParquetFile } from '../parquet/parquet-file.ts';
import type { LeafNode } from '../parquet/schema-tree.ts';
import { type ChunkPages, WINDOW_VALUES } from './check-pages.ts';

/** What a value takes at least. */
const VALUE_BYTES = 16;
const GROWTH = 1000;
const GROWTH_FROM_BYTES = 1024 * 1024;

/** Counts the bytes of texts in the heaviest `WINDOW_VALUES` rows. */
export type WeighRows = (leaves: readonly LeafNode[]) => Promise<number>;

/** Whether any 2,048 rows of the columns fit into `LIMITS.duckdbChunkBytes`. */
export async function chunksFit(
  place: FaultPlace,
  footer: Footer,
  pages: readonly ChunkPages[],
  weigh: WeighRows,
): Promise<boolean> {
  const file = new ParquetFile(await openLocalFile(place.path, place.role), place, footer);
  try {
    return await fit(file, pages, weigh);
  } finally {
    await file.close();
  }
}

async function fit(
  file: ParquetFile,
  pages: readonly ChunkPages[],
  weigh: WeighRows,
): Promise<boolean> {
  const most = LIMITS.duckdbChunkBytes;
  const bounds = new Map(pages.map(({ leaf }) => [leaf, 0]));
  const enough = most / WINDOW_VALUES / bounds.size;
  for (const chunk of pages) {
    const bound = await boundOf(file, chunk, enough);
    bounds.set(chunk.leaf, Math.max(bound, bounds.get(chunk.leaf) ?? 0));
  }
  const sum = (leaves: readonly LeafNode[]) =>
    leaves.reduce((all, leaf) => all + (bounds.get(leaf) ?? 0), 0);
  const leaves = [...bounds.keys()];
  if (sum(leaves) <= most) return true;
  const heavy = leaves.filter((leaf) => (bounds.get(leaf) ?? 0) * leaves.length > most);
  if (!heavy.every((leaf) => isTopText(file, leaf))) return false;
  const rest = sum(leaves.filter((leaf) => !heavy.includes(leaf)));
  return rest <= most && rest + (await weigh(heavy)) <= most;
}

function isTopText(file: ParquetFile, leaf: LeafNode): boolean {
  const { physical, logical } = leaf;
  const isText =
    physical === 'byte_array' && (logical.kind === 'string' || logical.kind === 'none');
  return isText && file.schema.root.children.includes(leaf);
}

/** `enough`: a dictionary of so few bytes is not looked at. */
async function boundOf(file: ParquetFile, chunk: ChunkPages, enough: number): Promise<number> {
  const group = file.footer.rowGroups[chunk.group];
  const { leaf, references, plainBytes, windowBytes, storedBytes } = chunk;
  const longest = references === 0 ? 0 : await longestEntry(file, chunk, enough);
  if (leaf.repeat === 0) return Math.min(WINDOW_VALUES, references) * longest + windowBytes;
  const { valueCount } = group.chunks[leaf.column];
  const all = references * longest + plainBytes + valueCount * VALUE_BYTES;
  if (all > GROWTH * Math.max(storedBytes, GROWTH_FROM_BYTES)) return Number.POSITIVE_INFINITY;
  return Math.ceil((all / Math.max(1, group.rows)) * WINDOW_VALUES);
}

/** Bytes of the longest value in a dictionary; a bound of it where that is small enough. */
async function longestEntry(file: ParquetFile, chunk: ChunkPages, enough: number) {
  const { leaf, dictionaryBytes } = chunk;
  if (leaf.physical !== 'byte_array') return leaf.length || VALUE_BYTES;
  if (dictionaryBytes <= enough) return dictionaryBytes;
  return longestText(await file.dictionary(chunk.group, leaf.column));
}

function longestText(values: PageValues | null): number {
  let longest = 0;
  for (let i = 0; i < (values?.length ?? 0); i++) {
    longest = Math.max(longest, values?.texts?.size(i) ?? 0);
  }
  return longest;
}
