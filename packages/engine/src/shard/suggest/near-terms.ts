import type { Deadline } from '../../base/time/deadline.ts';
import { type LengthSearch, WordDistance } from '../../inverted/pattern/length-search.ts';
import { lengthTable } from '../../inverted/pattern/pattern-tables.ts';
import type { TermsByLength } from '../../inverted/pattern/terms-by-length.ts';
import { type TermInfo, termOfRef } from '../../postings/term-info.ts';
import type { NearWord, TermAutomaton } from '../../query/automaton/automaton.ts';
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

/** Offers every term that the automaton accepts and may belong to the list. */
export function offerNear(
  segments: readonly FieldTerms[],
  automaton: TermAutomaton,
  list: SuggestionList,
  deadline: Deadline,
): void {
  if (automaton.near === undefined || !offerByTables(segments, automaton.near, list, deadline)) {
    offerWalked(segments, automaton, list, deadline);
  }
}

/** A segment and its terms by length. */
interface TabledTerms {
  readonly own: FieldTerms;
  readonly table: TermsByLength;
}

/** By the tables of all segments; false: there are none, and nothing was offered. */
function offerByTables(
  segments: readonly FieldTerms[],
  { word, edits }: NearWord,
  list: SuggestionList,
  deadline: Deadline,
): boolean {
  const distance = new WordDistance(word);
  if (!distance.serves(edits)) return false;
  const tabled: TabledTerms[] = [];
  for (const own of segments) {
    const table = lengthTable(own.reader);
    if (table !== null) tabled.push({ own, table });
  }
  if (tabled.length < segments.length) return false;
  const seen = segments.length > 1 ? new Set<string>() : null;
  for (const one of tabled) {
    deadline.check();
    distance.find(one.table, edits, offering(segments, one, { list, seen, deadline }));
  }
  return true;
}

/** What a search offers to, and the terms that were offered in an earlier segment. */
interface Offered {
  readonly list: SuggestionList;
  readonly seen: Set<string> | null;
  readonly deadline: Deadline;
}

function offering(
  segments: readonly FieldTerms[],
  { own, table }: TabledTerms,
  { list, seen, deadline }: Offered,
): LengthSearch {
  const { at, text, refs, dfs } = table;
  return {
    // A term with fewer documents here, and not more in any other segment, has too few of them.
    reach(df) {
      const { worst } = list;
      if (worst === null) return Number.POSITIVE_INFINITY;
      return df >= worst.count / segments.length ? worst.distance : worst.distance - 1;
    },
    visit(i, distance) {
      const term = text.slice(at[i], at[i + 1]);
      if (seen !== null) {
        const name = Buffer.from(term).toString('latin1');
        if (seen.has(name)) return;
        seen.add(name);
      }
      deadline.spend(1);
      let count = 0;
      for (const segment of segments) {
        const isKnown = segment === own && !segment.reader.cold;
        const info = isKnown ? termOfRef(dfs[i]!, refs[i]!) : segment.reader.lookup(term);
        if (info !== null) count += liveCount(segment, info);
      }
      list.offer({ term, distance, count });
    },
  };
}

/**
 * By walking the dictionaries under the automaton. Live documents are counted from the most
 * promising term on, until no other can belong to the list.
 */
function offerWalked(
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
