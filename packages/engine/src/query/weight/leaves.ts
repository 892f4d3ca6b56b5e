import type { Deadline } from '../../base/deadline.ts';
import { fillAll, setBit } from '../../bitmap/bitmap.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { termTest } from '../../postings/term-test.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { Leaf } from '../bind/clause.ts';
import { fillNumbers, fillSpan, numbersTest } from './column-leaf.ts';
import { keysLeaf } from './keys-leaf.ts';
import { constantLeaf, NO_MATCHES, type SegmentLeaf } from './leaf.ts';
import { fillPattern, fillPrefix } from './pattern-matches.ts';
import { phraseLeaf } from './phrase-leaf.ts';
import { phrasePrefixLeaf } from './phrase-prefix-leaf.ts';
import { precomputedLeaf } from './precomputed-leaf.ts';
import type { SnapshotStatistics } from './statistics.ts';
import { termLeaf } from './term-leaf.ts';

/** What marking a term's documents counts as, in steps of a deadline. */
const TERM_STEPS = 32;

/** A leaf over a segment. `statistics` is null where nothing is scored. */
export function segmentLeaf(
  clause: Leaf,
  reader: SegmentReader,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): SegmentLeaf {
  const { docs } = reader;
  const constant = (fill: (bits: Int32Array) => void, has?: SegmentLeaf['has']) =>
    constantLeaf(docs, clause.boost, statistics !== null, fill, has);
  switch (clause.kind) {
    case 'all':
      return constant(
        (bits) => fillAll(bits, docs),
        () => true,
      );
    case 'precomputed':
      return precomputedLeaf(clause.precomputed.segments.get(reader.id), clause.boost);
    case 'keys':
      return keysLeaf(clause.keys, reader, clause.boost);
    case 'exists':
      return constant((bits) => fillExists(reader, clause.field, bits, deadline));
    case 'numbers': {
      const column = reader.numeric(clause.field.id);
      if (column === null) return NO_MATCHES;
      return constant(
        (bits) => fillNumbers(column, clause.ranges, bits),
        numbersTest(column, clause.ranges),
      );
    }
    case 'span': {
      const column = reader.ordinals(clause.field.id);
      if (column === null) return NO_MATCHES;
      return constant((bits) => fillSpan(column, clause.lower, clause.upper, bits));
    }
    default: {
      const inverted = reader.inverted(clause.field.id);
      return inverted === null ? NO_MATCHES : invertedLeaf(clause, inverted, statistics, deadline);
    }
  }
}

function invertedLeaf(
  clause: Leaf & {
    readonly kind: 'term' | 'phrase' | 'phrase_prefix' | 'set' | 'pattern' | 'prefix';
  },
  reader: InvertedReader,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): SegmentLeaf {
  const constant = (fill: (bits: Int32Array) => void, has?: SegmentLeaf['has']) =>
    constantLeaf(reader.docs, clause.boost, statistics !== null, fill, has);
  switch (clause.kind) {
    case 'term':
      if (statistics !== null) return termLeaf(clause, reader, statistics);
      return unscoredTerm(clause, reader);
    case 'phrase_prefix':
      return phrasePrefixLeaf(clause, reader, statistics, deadline);
    case 'phrase':
      return phraseLeaf(clause, reader, statistics, deadline);
    case 'set':
      return constant((bits) => fillTerms(reader, clause.terms, bits, deadline));
    case 'pattern':
      return constant((bits) => fillPattern(reader, clause.automaton, bits, deadline));
    case 'prefix':
      return constant((bits) => fillPrefix(reader, clause.prefix, bits, deadline));
  }
}

function unscoredTerm(
  clause: Leaf & { readonly kind: 'term' },
  reader: InvertedReader,
): SegmentLeaf {
  const info = reader.lookup(clause.term);
  if (info === null) return NO_MATCHES;
  const leaf = constantLeaf(reader.docs, clause.boost, false, (bits) => reader.fill(info, bits));
  return { ...leaf, most: info.df, ...termTest(reader, info) };
}

function fillTerms(
  reader: InvertedReader,
  terms: readonly Uint8Array[],
  bits: Int32Array,
  deadline: Deadline,
): void {
  for (const term of terms) {
    deadline.spend(TERM_STEPS);
    const info = reader.lookup(term);
    if (info !== null) reader.fill(info, bits);
  }
}

/** Documents with a value: one in the column, a vector, or a token. */
function fillExists(
  reader: SegmentReader,
  field: FieldPlan,
  bits: Int32Array,
  deadline: Deadline,
): void {
  const vectors = field.vector === undefined ? null : reader.vectors(field.id);
  for (let slot = 0; slot < (vectors?.count ?? 0); slot++) setBit(bits, vectors!.docAt(slot));
  const column = reader.numeric(field.id) ?? reader.ordinals(field.id);
  if (column !== null) {
    column.fillHas(bits);
    return;
  }
  const inverted = reader.inverted(field.id);
  if (inverted === null) return;
  if (inverted.docsWithField === reader.docs) fillAll(bits, reader.docs);
  else if (inverted.text) fillLengths(inverted.codes, bits);
  else {
    const terms = inverted.terms();
    while (terms.next()) {
      deadline.spend(TERM_STEPS);
      inverted.fill(terms.info(), bits);
    }
  }
}

function fillLengths(codes: Uint8Array, bits: Int32Array): void {
  for (let doc = 0; doc < codes.length; doc++) {
    if (codes[doc] !== 0) bits[doc >> 5] |= 1 << (doc & 31);
  }
}
