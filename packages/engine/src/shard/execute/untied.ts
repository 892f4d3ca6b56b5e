/**
 * The first documents without the order of all keys, which would have to be fetched of cold
 * segments: some more documents are found, and the keys of those are read that tie with the last.
 */
import {
  compareRanked,
  compareSorted,
  type RankedDoc,
  type SearchAfter,
  type SortKey,
} from '../../collect/order.ts';
import { type KeyOrder, SegmentDoc } from '../../collect/ranked-docs.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { readKeys } from '../fetch/fetch-docs.ts';
import type { DocAddress } from '../shard.ts';

/** A page, as an execution plan has it. */
interface Page {
  readonly order: readonly SortKey[];
  readonly limit: number;
  readonly after: SearchAfter | null;
  demandPage?(docs: readonly DocAddress[]): void;
}

/** Documents that are found behind the page. */
export const SPARE = 32;

/** Whether the order of keys is absent in some segment, and a page can do without it. */
export const canSettle = (segments: readonly SegmentReader[], { after, limit }: Page): boolean =>
  after === null && limit > 0 && segments.some((segment) => segment.lacksKeyOrder);

/** A key order of a segment by document numbers, in place of the real keys. */
export const numberedKeys = (segment: number, { docs }: SegmentReader): KeyOrder => ({
  ...{ docs, ranks: null, rank: (doc) => doc, key: (doc) => numberKey(segment, doc) },
});

/** A key made of the numbers of the segment and the document. */
export function numberKey(segment: number, doc: number): Uint8Array {
  const key = Buffer.alloc(8);
  key.writeUInt32BE(segment);
  key.writeUInt32BE(doc, 4);
  return key;
}

/**
 * The page out of the first `most` documents whose ties are in the order of numbers; null: too many
 * tie with its last one.
 */
export function settled(
  segments: readonly SegmentReader[],
  found: readonly RankedDoc[],
  most: number,
  page: Page,
): readonly RankedDoc[] | null {
  const { order, limit } = page;
  const spare = found[most - 1];
  if (spare !== undefined && compareSorted(spare, found[limit - 1], order) === 0) return null;
  return firstByKeys(
    found.map((doc) => new SegmentDoc(segments[doc.segment].keys, doc)),
    page,
  );
}

/** The first of some documents. Their keys are demanded together, with what a page shows. */
export function firstByKeys(
  found: readonly RankedDoc[],
  { order, limit, demandPage }: Page,
): readonly RankedDoc[] {
  const sorted = found.toSorted((a, b) => compareSorted(a, b, order));
  const last = sorted[Math.min(limit, sorted.length) - 1];
  const isLast = (doc: RankedDoc) => compareSorted(doc, last, order) === 0;
  const docs = sorted.filter((doc, i) => i < limit || isLast(doc));
  readKeys(docs, () => demandPage?.(docs));
  return docs.sort((a, b) => compareRanked(a, b, order)).slice(0, limit);
}
