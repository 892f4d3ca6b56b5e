import type { Hit } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import { ENGLISH_STOP_WORDS } from '../../../analysis/language/languages.ts';
import { escapeField } from '../../../query/syntax/characters.ts';
import { searchIndex } from '../../search.ts';
import { startsOfOr } from '../clause-counts.ts';
import type { Reasoned } from '../meant-queries.ts';
import { matchOf, type ReadRequest } from '../read-request.ts';
import { inAllClauses } from '../stricter.ts';
import { wordsAlone } from './bare-words.ts';
import { spreadWords } from './in-fields.ts';

/** Part of a score that sums in another order may differ by. */
const ROUNDING = 1e-6;

/** What a query of clauses side by side finds with AND, if it finds more without. */
export async function allClauses(read: ReadRequest, total: number): Promise<Reasoned | undefined> {
  const all = await inAllClauses(read);
  if (all === undefined || all.total >= total) return undefined;
  return { why: `one clause of "${read.checked.request.query}" is enough`, ...all };
}

/**
 * The query of the rows that have all bare words, words such as `in` apart, if a row before them
 * lacks one; if no row has all, their values in several fields. `hits`: the page of the search.
 */
export async function allWords(
  read: ReadRequest,
  hits: readonly Hit[],
): Promise<Reasoned | undefined> {
  const { context, checked, tree } = read;
  const { sort, offset = 0, search_after, syntax } = checked.request;
  const isBest = sort === undefined && search_after === undefined && offset === 0;
  const written = isBest && startsOfOr(tree).size > 1 ? wordsAlone(read) : [];
  const isStop = (word: string) => syntax !== 'kql' && ENGLISH_STOP_WORDS.includes(word);
  const words = written.filter((word) => !isStop(word));
  if (words.length < 2 || hits.length === 0) return undefined;
  const query = words.map(escapeField).join(' AND ');
  // the words that are left out count for the order of the rows
  const ranked = written.map((word) => `${isStop(word) ? '' : '+'}${escapeField(word)}`).join(' ');
  const rows = { fields: [], limit: hits.length, query: syntax === 'kql' ? query : ranked };
  const all = { ...matchOf(checked.request), ...rows };
  const found = await searchIndex(context, checkSearchRequest(all));
  const { total } = found;
  if (total === 0) return words.some((word) => /^\d/.test(word)) ? spreadWords(read) : undefined;
  const isAfter = found.hits.some(({ score }, i) => score < hits[i].score * (1 - ROUNDING));
  if (!isAfter) return undefined;
  return { why: 'rows before others lack a word', query, total };
}
