/**
 * What a highlight should mark, by brute force: every word of a text against every clause, every
 * choice of positions for every phrase. Written from docs/search.md; shares nothing with the engine
 * but the query tree.
 */
import type { Query } from '../../../packages/engine/src/query/query.ts';
import { matchesWord, type PatternNode, patternMatches, tokens } from './model.ts';

/** A piece [from, to) of a text, in UTF-16 units. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}
/**
 * Pieces that have to be marked, and pieces that may be: they differ for phrases with slop alone.
 */
export interface WantedMarks {
  readonly must: readonly Piece[];
  readonly may: readonly Piece[];
}

interface Word extends Piece {
  readonly term: string;
}
type Find = (words: readonly Word[]) => WantedMarks;

const NOTHING: WantedMarks = { must: [], may: [] };
const both = (pieces: readonly Piece[]): WantedMarks => ({ must: pieces, may: pieces });

/** The marks of a query on a text of `field`; pieces that overlap are one. */
export function wantedMarks(query: Query, field: string, text: string): WantedMarks {
  const words = [...text.matchAll(/[\p{Alphabetic}\p{N}]+/gu)].map((match): Word => {
    const [term = ''] = tokens(match[0]);
    return { term, from: match.index, to: match.index + match[0].length };
  });
  const found = finders(query, field).map((find) => find(words));
  return {
    must: joined(found.flatMap((marks) => marks.must)),
    may: joined(found.flatMap((marks) => marks.may)),
  };
}

function finders(query: Query, field: string): readonly Find[] {
  const inner = positive(query);
  if (inner.length > 0) return inner.flatMap((q) => finders(q, field));
  if (!('field' in query) || query.field !== field) return [];
  switch (query.kind) {
    case 'term':
      return [(words) => phrase(words, tokens(query.value), 0)];
    case 'phrase':
      return [(words) => phrase(words, tokens(query.value), query.slop)];
    case 'terms':
      return query.values.map((value) => (words) => phrase(words, tokens(value), 0));
    case 'phrase_prefix':
      return [(words) => openPhrase(words, tokens(query.value))];
    case 'match':
      return tokens(query.value).map(
        (word, i, all) => (words) =>
          both(words.filter(({ term }) => matchesWord(query, word, i === all.length - 1, term))),
      );
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
      return [(words) => pattern(words, query)];
    default:
      return [];
  }
}

function positive(query: Query): readonly Query[] {
  switch (query.kind) {
    case 'boost':
      return [query.query];
    case 'bool':
      return [...query.must, ...query.should, ...query.filter];
    case 'dis_max':
      return query.queries;
    case 'constant_score':
      return [query.filter];
    case 'boosting':
      return [query.positive];
    default:
      return [];
  }
}

/** A phrase whose last word is the beginning of one, as a whole. */
function openPhrase(words: readonly Word[], wanted: readonly string[]): WantedMarks {
  const begin = wanted.at(-1);
  if (begin === undefined) return NOTHING;
  const whole = wanted.slice(0, -1);
  return both(
    words.flatMap(({ from }, at): Piece[] => {
      const last = words[at + whole.length];
      const fits = whole.every((word, i) => words[at + i]?.term === word);
      return fits && last?.term.startsWith(begin) ? [{ from, to: last.to }] : [];
    }),
  );
}

const pattern = (words: readonly Word[], query: PatternNode): WantedMarks =>
  both(words.filter(({ term }) => patternMatches(query, term)));

function phrase(words: readonly Word[], wanted: readonly string[], slop: number): WantedMarks {
  if (wanted.length === 0) return NOTHING;
  const choices = choicesOf(words, wanted, slop);
  if (slop === 0) {
    return both(choices.map((c) => ({ from: words[c[0]!]!.from, to: words[c.at(-1)!]!.to })));
  }
  const at = (numbers: Iterable<number>) => [...new Set(numbers)].map((i) => words[i]!);
  return { must: at(choices.map((c) => c[0]!)), may: at(choices.flat()) };
}

/** All choices of positions whose places (position less offset) differ by at most `slop`. */
function choicesOf(
  words: readonly Word[],
  wanted: readonly string[],
  slop: number,
  taken: readonly number[] = [],
): readonly (readonly number[])[] {
  const places = taken.map((position, i) => position - i);
  if (Math.max(...places) - Math.min(...places) > slop) return [];
  if (taken.length === wanted.length) return [taken];
  return words.flatMap(({ term }, i) => {
    if (term !== wanted[taken.length] || taken.includes(i)) return [];
    return choicesOf(words, wanted, slop, [...taken, i]);
  });
}

/** Pieces in order; where they overlap they are one. */
export function joined(pieces: readonly Piece[]): readonly Piece[] {
  const out: Piece[] = [];
  for (const { from, to } of pieces.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last === undefined || from >= last.to) out.push({ from, to });
    else out[out.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return out;
}
