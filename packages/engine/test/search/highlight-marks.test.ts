/**
 * Highlights of random query trees over random Unicode against a brute-force marker: whole texts
 * mark exactly what they should, fragments are pieces of their text with the marks that lie in
 * them, apart from each other, best first. LHS_MARKS_CASES sets how many (default 3,000),
 * LHS_SEED the seed.
 */

import type { Segment } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAPPING, WORDS } from '../../../../test/support/oracle/corpus.ts';
import { joined, type Piece, wantedMarks } from '../../../../test/support/oracle/marks.ts';
import { queries } from '../../../../test/support/oracle/queries.ts';
import { NO_DEADLINE } from '../../src/base/time/deadline.ts';
import { bindQuery } from '../../src/query/bind/bind.ts';
import type { Query } from '../../src/query/query.ts';
import { createHighlighter } from '../../src/shard/fetch/highlight.ts';
import { queryFields } from '../../src/shard/request/query-fields.ts';

const CASES = Number(process.env.LHS_MARKS_CASES ?? 3000);
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const FIELD = MAPPING.fields.find(({ plan }) => plan.name === 't1')!.plan;

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS).map((word) => `${word} `) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('👩‍👩‍👧', '\u0301', '. ', '"', '\n', '-', '\u0000', '𝒳', 'ß'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);
const texts = fc.array(piece, { maxLength: 40 }).map((list) => list.join('').toWellFormed());
/** Some phrase may be chosen in several ways. */
const sloppy = (query: Query): boolean => /"slop":[1-9]/.test(JSON.stringify(query));

/** Some part can match nothing, whatever the document: its words need no marks. */
function hopeless(query: Query): boolean {
  if (query.kind === 'boost') return hopeless(query.query);
  if (query.kind === 'constant_score') return hopeless(query.filter);
  if (query.kind === 'boosting') return hopeless(query.positive);
  if (query.kind === 'dis_max') return !query.queries.length || query.queries.some(hopeless);
  if ('zero_terms' in query && query.zero_terms !== undefined) return true;
  if (query.kind === 'match') return query.minimum_should_match !== undefined;
  if (query.kind === 'terms') return query.values.length === 0;
  if (query.kind !== 'bool') return query.kind === 'match_none' || query.kind === 'range';
  const { must, should, must_not, filter, minimum_should_match = 0 } = query;
  if (typeof minimum_should_match === 'string') return true;
  const least = minimum_should_match;
  const parts = [...must, ...should, ...must_not, ...filter];
  return least > should.length || parts.some(hopeless) || must_not.some(isAll);
}
const isAll = (query: Query): boolean => JSON.stringify(query).includes('match_all');

const asking = queries.filter((q) => !hopeless(q) && JSON.stringify(q).includes('"t1"'));

function fragmentsOf(query: Query, text: string, maxFragments: number, fragmentSize: number) {
  const clause = bindQuery(query, queryFields(MAPPING), null);
  const highlighter = createHighlighter(
    clause,
    [FIELD],
    { maxFragments, fragmentSize },
    NO_DEADLINE,
  );
  return highlighter.highlight(() => [text])?.t1 ?? [];
}

function piecesOf(fragment: readonly Segment[], at: number): Piece[] {
  let to = at;
  return fragment.flatMap(({ text, marked }) => {
    const from = to;
    to += text.length;
    return marked ? [{ from, to }] : [];
  });
}
const textOf = (fragment: readonly Segment[]): string => fragment.map((s) => s.text).join('');
const within = (pieces: readonly Piece[], by: readonly Piece[]): boolean =>
  pieces.every((p) => by.some((b) => b.from <= p.from && p.to <= b.to));

function checkWhole(query: Query, text: string): boolean {
  const { must, may } = wantedMarks(query, 't1', text);
  const fragments = fragmentsOf(query, text, 3, 1_000_000);
  if (may.length === 0) {
    expect(fragments).toEqual([]);
    return false;
  }
  expect(fragments).toHaveLength(1);
  expect(textOf(fragments[0]!)).toBe(text);
  const found = piecesOf(fragments[0]!, 0);
  if (!sloppy(query)) expect(found).toEqual(must);
  expect(within(must, joined(found))).toBe(true);
  expect(within(found, may)).toBe(true);
  return true;
}

/** Places where a fragment's text stands, tried in order until its marks fit. */
function placed(fragment: readonly Segment[], text: string, marks: readonly Piece[]): Piece | null {
  const own = textOf(fragment);
  for (let at = text.indexOf(own); at >= 0; at = text.indexOf(own, at + 1)) {
    const wanted = marks.filter((mark) => mark.from >= at && mark.to <= at + own.length);
    if (JSON.stringify(wanted) === JSON.stringify(piecesOf(fragment, at))) {
      return { from: at, to: at + own.length };
    }
  }
  return null;
}

function checkFragments(query: Query, text: string, most: number, size: number): void {
  const marks = wantedMarks(query, 't1', text).must;
  const fragments = fragmentsOf(query, text, most, size);
  expect(fragments.length).toBeLessThanOrEqual(most);
  if (marks.length > 0) expect(fragments.length).toBeGreaterThan(0);
  const longest = Math.max(0, ...marks.map(({ from, to }) => to - from));
  for (const fragment of fragments) {
    expect(textOf(fragment).isWellFormed()).toBe(true);
    expect(textOf(fragment).length).toBeLessThanOrEqual(Math.max(size, longest));
    expect(fragment.some((segment) => segment.marked)).toBe(true);
    expect(fragment.every((segment) => segment.text !== '')).toBe(true);
    if (placed(fragment, text, marks) === null) {
      expect.fail(`${JSON.stringify(fragment)} is no piece of ${JSON.stringify(text)}`);
    }
  }
}

describe('random highlights', () => {
  test(`equal those of a brute-force marker in ${CASES} cases (seed ${SEED})`, () => {
    let marked = 0;
    fc.assert(
      fc.property(
        asking,
        texts,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 90 }),
        (query: Query, text: string, most: number, size: number) => {
          if (checkWhole(query, text)) marked++;
          if (!sloppy(query)) checkFragments(query, text, most, size);
        },
      ),
      { seed: SEED, numRuns: CASES },
    );
    expect(marked).toBeGreaterThan(CASES / 6);
  });
});
