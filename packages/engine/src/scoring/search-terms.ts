/**
 * Term searches over one field of several segments: the top documents and exact totals.
 *
 * 1. Statistics over all segments give each term its weight, boost x idf. Equal terms of a
 *    disjunction are merged.
 * 2. Segments are searched one after another. They share the list of the best documents, and
 *    with it the threshold.
 * 3. The tenth best score of a term, stored at indexing, is the first threshold where it is a
 *    valid bound.
 */

import { QUERY_TERMS, UNION_TERMS } from './kernel/kernel-memory.ts';
import { runByKernel } from './kernel/query-kernel.ts';
import { searchPhrase } from './phrase/search-phrase.ts';
import type { TermSearch } from './request.ts';
import type { TopDocs } from './top-docs.ts';

/** Terms store their tenth best score: it bounds lists up to this length. */
const STORED_BEST = 10;
/** A threshold that was too high is tried once more times this. */
const LOWER = 0.97;

/** True for searches that the kernels run: of any segments, for a few terms. */
export const takesTerms = ({ mode, terms }: Pick<TermSearch, 'mode' | 'terms'>): boolean =>
  mode === 'term' || terms.length <= (mode === 'or' ? UNION_TERMS : QUERY_TERMS);

/**
 * Offers the best documents of a search that `takesTerms` allows to `top`; with `count`, returns
 * the exact number of matching documents, else 0.
 */
export function searchTerms(search: TermSearch, top: TopDocs, count = false): number {
  if (isPhrase(search)) return searchPhrase(search, top, count);
  const stored = boundedByStored(search, top);
  const found = runByKernel(search, top, count, stored);
  if (stored && top.theta > 0 && !top.settled) searchAgain(search, top);
  return found;
}

/** The exact number of matching documents of such a search. */
export const countTerms = (search: TermSearch): number =>
  isPhrase(search) ? searchPhrase(search, null, true) : runByKernel(search, null, true, false);

const isPhrase = ({ mode, terms }: TermSearch): boolean => mode === 'phrase' && terms.length > 1;

/**
 * Of the documents that the stored scores spoke of some are deleted: once more, with a threshold a
 * little lower, which finds the page of most terms, or without one.
 */
function searchAgain(search: TermSearch, top: TopDocs): void {
  for (const threshold of [top.theta * LOWER, 0]) {
    top.clear();
    top.raise(threshold);
    runByKernel(search, top, false, false);
    if (top.settled) return;
  }
}

/**
 * Disjunctions, a short list: stored scores help, unless filters or the start of a page make them
 * void.
 */
function boundedByStored(
  { terms, mode, segments }: TermSearch,
  { limit, after }: TopDocs,
): boolean {
  if ((terms.length > 1 && mode === 'and') || limit > STORED_BEST || after !== null) return false;
  for (let s = 0; s < segments.length; s++) {
    if (segments[s].blocked !== null && segments[s].living === null) return false;
  }
  return true;
}
