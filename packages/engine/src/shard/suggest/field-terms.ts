import type { Deadline } from '../../base/time/deadline.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import { DICTIONARY_BLOCK } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { NO_MORE_DOCS } from '../../postings/cursors.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { type TenantScope, withTenantDocs } from '../execute/tenant-figures.ts';

/** Live counts that are kept of one field of a segment. */
const KEPT_COUNTS = 16_384;

/** The terms of one field in one segment, with what suggesting keeps of them in memory. */
export interface FieldTerms {
  readonly segment: SegmentReader;
  readonly reader: InvertedReader;
  /** Bits of documents that do not count: deleted ones, those of other tenants. null: none. */
  readonly hidden: Int32Array | null;
  /** Live counts by place of the postings, as far as they were asked for. */
  readonly live: Map<number, number>;
  /** The largest number of documents of a term by dictionary block; made at the first need. */
  blockCounts: Int32Array | null;
}

const known = new WeakMap<SegmentReader, Map<number, FieldTerms>>();

/** The terms of a field by its plan's id in every segment that has any, the largest first. */
export function fieldTerms(
  segments: readonly SegmentReader[],
  field: number,
): readonly FieldTerms[] {
  const terms = segments.flatMap((segment): FieldTerms[] => {
    const reader = segment.inverted(field);
    if (reader === null || reader.termCount === 0) return [];
    let fields = known.get(segment);
    if (fields === undefined) known.set(segment, (fields = new Map()));
    let own = fields.get(field);
    if (own === undefined) {
      own = { segment, reader, hidden: segment.deleted, live: new Map(), blockCounts: null };
      fields.set(field, own);
    }
    return [own];
  });
  return terms.sort((a, b) => b.reader.docs - a.reader.docs);
}

/** The same terms, of which the documents of one tenant count alone. */
export function tenantTerms(
  all: readonly FieldTerms[],
  whose: Pick<TenantScope, 'tenantFilter' | 'filters'>,
  deadline: Deadline,
): readonly FieldTerms[] {
  return all.map((terms) => {
    const hidden = withTenantDocs(terms.segment, whose, deadline, (own) =>
      own.map((bits) => ~bits),
    );
    // The largest counts of all tenants are upper bounds of the tenant's.
    return { ...terms, hidden, live: new Map(), blockCounts: blockCounts(terms, deadline) };
  });
}

/** Documents of a term that are not hidden. */
export function liveCount(terms: FieldTerms, info: TermInfo): number {
  const { hidden, live, reader } = terms;
  if (hidden === null) return info.df;
  const place = 4 * info.at + info.kind;
  const counted = live.get(place);
  if (counted !== undefined) return counted;
  let count = 0;
  const postings = reader.postings(info);
  for (let doc = postings.next(); doc < NO_MORE_DOCS; doc = postings.next()) {
    if (!hasBit(hidden, doc)) count++;
  }
  if (live.size >= KEPT_COUNTS) live.clear();
  live.set(place, count);
  return count;
}

/**
 * The largest document count of a term in each dictionary block: one walk over the terms, then
 * kept (4 bytes for 16 terms) as long as the segment is open.
 */
export function blockCounts(terms: FieldTerms, deadline: Deadline): Int32Array {
  if (terms.blockCounts !== null) return terms.blockCounts;
  const { reader } = terms;
  const counts = new Int32Array(Math.ceil(reader.termCount / DICTIONARY_BLOCK));
  const cursor = reader.terms();
  for (let i = 0; cursor.next(); i++) {
    deadline.spend(1);
    const block = Math.floor(i / DICTIONARY_BLOCK);
    if (cursor.df > counts[block]!) counts[block] = cursor.df;
  }
  terms.blockCounts = counts;
  return counts;
}
