import type { Deadline } from '../../base/deadline.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import type { TermAutomaton } from '../../query/automaton/automaton.ts';
import { eachTerm, type OnTerm } from '../../query/weight/pattern-matches.ts';
import { type FieldTerms, liveCount } from './field-terms.ts';
import { compareTermBytes, type SuggestionList } from './suggestion-list.ts';

/** A term that the automaton accepts, and where it stands in each segment. */
interface NearTerm {
  readonly term: Uint8Array;
  readonly distance: number;
  readonly infos: (TermInfo | null)[];
  /** Documents, deleted ones too. */
  df: number;
}

/**
 * Offers every term that the automaton accepts and may belong to the list. Live documents are
 * counted from the most promising term on, until no other can belong there.
 */
export function offerNear(
  segments: readonly FieldTerms[],
  automaton: TermAutomaton,
  list: SuggestionList,
  deadline: Deadline,
): void {
  const near = [...nearTerms(segments, automaton, deadline).values()].sort(
    (a, b) => a.distance - b.distance || b.df - a.df || compareTermBytes(a.term, b.term),
  );
  for (const { term, distance, infos, df } of near) {
    deadline.check();
    const { worst } = list;
    if (worst !== null && distance > worst.distance) return;
    if (worst !== null && distance === worst.distance && df < worst.count) return;
    const count = infos.reduce(
      (sum, info, i) => sum + (info === null ? 0 : liveCount(segments[i]!, info)),
      0,
    );
    list.offer({ term, distance, count });
  }
}

function nearTerms(
  segments: readonly FieldTerms[],
  automaton: TermAutomaton,
  deadline: Deadline,
): ReadonlyMap<string, NearTerm> {
  const near = new Map<string, NearTerm>();
  segments.forEach(({ reader }, i) => {
    const note: OnTerm = (info, distance, cursor) => {
      const name = Buffer.from(cursor.bytes()).toString('latin1');
      let known = near.get(name);
      if (known === undefined) {
        const infos = segments.map(() => null);
        known = { term: cursor.bytes().slice(), distance, infos, df: 0 };
        near.set(name, known);
      }
      known.infos[i] = info;
      known.df += info.df;
    };
    eachTerm(reader, automaton, note, deadline);
  });
  return near;
}
