import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import type { Leaf } from '../../query/bind/clause.ts';
import { eachTerm } from '../../query/weight/pattern-matches.ts';
import type { Subject } from './subject.ts';
import { shownTerm } from './term-name.ts';

const SHOWN_TERMS = 3;

/**
 * The document's terms by which it matches a set, a prefix or a pattern, as text for people:
 * `by "timeouts", "timed" (2 edits)`, the first three; empty for other clauses.
 */
export function matchedTerms(clause: Leaf, { reader, doc }: Subject): string {
  if (clause.kind !== 'set' && clause.kind !== 'prefix' && clause.kind !== 'pattern') return '';
  const inverted = reader.inverted(clause.field.id);
  if (inverted === null) return '';
  const found: string[] = [];
  eachCandidate(clause, inverted, (info, distance, bytes) => {
    if (found.length > SHOWN_TERMS || inverted.postings(info).advance(doc) !== doc) return;
    const edits = distance === 0 ? '' : ` (${distance} ${distance === 1 ? 'edit' : 'edits'})`;
    found.push(`"${shownTerm(clause.field, bytes())}"${edits}`);
  });
  const more = found.length > SHOWN_TERMS ? ', …' : '';
  return `by ${found.slice(0, SHOWN_TERMS).join(', ')}${more}`;
}

type Visit = (info: TermInfo, distance: number, bytes: () => Uint8Array) => void;

/** The field's terms in the segment that the clause asks for. */
function eachCandidate(
  clause: Leaf & { readonly kind: 'set' | 'prefix' | 'pattern' },
  inverted: InvertedReader,
  visit: Visit,
): void {
  if (clause.kind === 'pattern') {
    eachTerm(inverted, clause.automaton, (info, distance, cursor) => {
      visit(info, distance, () => cursor.bytes());
    });
  } else if (clause.kind === 'set') {
    for (const term of clause.terms) {
      const info = inverted.lookup(term);
      if (info !== null) visit(info, 0, () => term);
    }
  } else {
    const { prefix } = clause;
    const cursor = inverted.terms(prefix);
    while (cursor.next() && prefix.every((byte, i) => cursor.source[i] === byte)) {
      if (cursor.length < prefix.length) return;
      visit(cursor.info(), 0, () => cursor.bytes());
    }
  }
}
