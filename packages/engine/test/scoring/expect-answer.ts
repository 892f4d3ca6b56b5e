/** Answers of the engine's core beside those of brute force. */
import { expect } from 'vitest';
import type { TermMode } from '../../src/scoring/request.ts';
import { countTerms, searchTerms, takesTerms } from '../../src/scoring/search-terms.ts';
import { TopDocs } from '../../src/scoring/top-docs.ts';
import { bruteForce, type Wanted } from './brute-force.ts';
import { compare } from './model-docs.ts';
import type { OpenCase } from './open-case.ts';

const encoder = new TextEncoder();

/** The words of a query, one position after the other. */
export const termsOf = (query: string): readonly Wanted[] =>
  query.split(' ').map((word, position) => ({ word, boost: 1, position }));

/** The terms of a search. */
export const searched = (wanted: readonly Wanted[]) =>
  wanted.map(({ word, boost, position }) => ({ bytes: encoder.encode(word), boost, position }));

/**
 * Holds an answer against brute force: scores to 1e-9, documents in order, where equal scores may
 * be equal only nearly. Kernels may decline more than six terms.
 */
export function expectAnswer(
  { segments, keyOf, parts, used }: OpenCase,
  mode: TermMode,
  wanted: readonly Wanted[],
  pages: readonly (readonly [limit: number, skip: number])[],
): void {
  const truth = bruteForce(used, mode, wanted);
  const search = { mode, terms: searched(wanted), segments };
  const all = new TopDocs(10_000, keyOf);
  if (!takesTerms(search)) {
    expect(wanted.length).toBeGreaterThan(6);
    return;
  }
  expect(countTerms(search), 'count').toBe(truth.length);
  expect(searchTerms(search, all, true), 'total').toBe(truth.length);
  const complete = all.harvest();
  const off = complete.findIndex((hit, i) => !(Math.abs(hit.score - truth[i].score) < 1e-9));
  expect(off, 'first wrong score').toBe(-1);
  for (const [limit, skip] of pages) {
    const last = skip > 0 ? complete[Math.min(skip, complete.length) - 1] : undefined;
    const after =
      last === undefined ? null : { score: last.score, key: keyOf(last.segment, last.doc) };
    const top = new TopDocs(limit, keyOf, after);
    searchTerms(search, top);
    const from = last === undefined ? 0 : Math.min(skip, complete.length);
    expect(top.harvest()).toEqual(complete.slice(from, from + limit));
  }
  const keys = complete.map(({ segment, doc }) => parts[segment][doc].key);
  expect([...keys].sort()).toEqual(truth.map(({ key }) => key).sort());
  const swapped = complete.findIndex(
    ({ score }, i) => i > 0 && score === complete[i - 1].score && compare(keys[i - 1], keys[i]) > 0,
  );
  expect(swapped, 'first tie out of order').toBe(-1);
}
