import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import type { Clause } from '../bind/clause.ts';
import type { ExplainedDoc, LeafModule, TermVisitor } from '../clauses/module.ts';
import { eachTerm } from '../weight/pattern-matches.ts';
import { shownTerm } from './term-name.ts';

const SHOWN_TERMS = 3;

/**
 * The document's terms by which it matches a set, a prefix or a pattern, as text for people:
 * `by "timeouts", "timed" (2 edits)`, the first three; empty for other clauses.
 */
export function matchedTerms<C extends Clause>(
  clause: C,
  module: LeafModule<C>,
  { reader, doc }: Pick<ExplainedDoc, 'reader' | 'doc'>,
): string {
  if (module.terms === undefined || !('field' in clause)) return '';
  const { field } = clause;
  const inverted = reader.inverted(field.id);
  if (inverted === null) return '';
  const found: string[] = [];
  const visit: Visit = (info, distance, bytes) => {
    if (found.length > SHOWN_TERMS || inverted.postings(info).advance(doc) !== doc) return;
    const edits = distance === 0 ? '' : ` (${distance} ${distance === 1 ? 'edit' : 'edits'})`;
    found.push(`"${shownTerm(field, bytes())}"${edits}`);
  };
  module.terms(clause, candidates(inverted, visit));
  const more = found.length > SHOWN_TERMS ? ', …' : '';
  return `by ${found.slice(0, SHOWN_TERMS).join(', ')}${more}`;
}

type Visit = (info: TermInfo, distance: number, bytes: () => Uint8Array) => void;

/** Visits the field's terms in the segment that a clause looks for. */
const candidates = (inverted: InvertedReader, visit: Visit): TermVisitor => ({
  word(term) {
    const info = inverted.lookup(term);
    if (info !== null) visit(info, 0, () => term);
  },
  phrase() {},
  openPhrase() {},
  prefix(prefix) {
    const cursor = inverted.terms(prefix);
    while (cursor.next() && prefix.every((byte, i) => cursor.source[i] === byte)) {
      if (cursor.length < prefix.length) return;
      visit(cursor.info(), 0, () => cursor.bytes());
    }
  },
  pattern(automaton) {
    eachTerm(inverted, automaton, (info, distance, cursor) => {
      visit(info, distance, () => cursor.bytes());
    });
  },
});
