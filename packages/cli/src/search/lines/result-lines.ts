import type {
  ClauseCount,
  IndexDescription,
  ModeRequest,
  SearchResponse,
  TableLag,
} from '@lakehouse-search/contract';
import { clauseText, withDates } from '@lakehouse-search/contract/internal';
import { behindText } from '../../terminal/errors/next-step.ts';
import { requestCommands } from '../../terminal/errors/request-words.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { count, duration, plural, snapshotName } from '../../terminal/figures.ts';
import type { Style } from '../../terminal/style.ts';
import { wrap } from '../../terminal/text.ts';
import { flagWords } from '../search-flags.ts';
import { aggregationLines } from './aggregation-lines.ts';
import { facetLines } from './facet-lines.ts';
import { type HitView, hitLines, hitOrder, remarks } from './hit-lines.ts';
import { partialRemarks } from './partial.ts';

/** A search answer as people read it: total, time and freshness; the hits; what to do next. */
export function resultLines(
  answer: SearchResponse,
  search: ModeRequest,
  page: Omit<HitView, 'order'>,
): string[] {
  const { request } = search;
  const { index, style, columns } = page;
  const lines = wrap(headline(answer, request, index, style), columns);
  lines.push(...remarks(answer, style, columns));
  if (answer.facets !== undefined && answer.facets.length > 0) {
    lines.push('', ...facetLines(answer.facets, style, columns));
  }
  if (answer.aggs !== undefined && request.aggs !== undefined) {
    const dates = index.fields.filter(({ type }) => type === 'DATE').map(({ name }) => name);
    const results = withDates(answer.aggs, request.aggs, new Set(dates));
    lines.push('', ...aggregationLines(results, request.aggs, style, columns));
  }
  const offset = request.offset ?? 0;
  const view = { ...page, order: hitOrder(search) };
  answer.hits.forEach((hit, i) => {
    lines.push('', ...hitLines(hit, offset + i + 1, view));
  });
  const next = [...meantSearch(answer, search, page), ...nextPage(answer, search, page)];
  if (next.length > 0) lines.push('', ...next.map((line) => style.dim(`next: ${line}`)));
  return lines;
}

function headline(
  answer: SearchResponse,
  request: { readonly pit_id?: string },
  index: IndexDescription,
  style: Style,
): string {
  const parts = [
    `${style.bold(plural(answer.total, 'hit'))} in ${index.index}`,
    duration(answer.took_ms),
    freshness(answer, request, index),
  ];
  parts.push(...partialRemarks(answer).map((remark) => style.yellow(remark)));
  return parts.join(' · ');
}

function freshness(
  answer: SearchResponse,
  request: { readonly pit_id?: string },
  index: IndexDescription,
): string {
  if (answer.snapshot === null) return 'the table is empty';
  const lag = answer.lag_snapshots;
  const snapshot = `snapshot ${snapshotName(answer.snapshot)}`;
  if (request.pit_id !== undefined) return `at a point in time (${snapshot})`;
  if (lag === null && answer.lag_checked_ms === undefined) {
    return `not yet compared with the table (${snapshot})`;
  }
  if (lag === null) return `the table cannot be reached (${snapshot})`;
  if (lag === 0) return `at the table’s head (${snapshot})`;
  return behindText(lag, index);
}

/** The index of an answer, as far as advice on it needs it. */
type Followed = Pick<IndexDescription, 'index' | 'synced_by'>;

/** That rows may be missing because the index is behind its table. */
export function lagLines(
  { lag_snapshots: lag }: TableLag,
  request: { readonly pit_id?: string },
  index: Followed,
): string[] {
  return lag === null || lag === 0 || request.pit_id !== undefined ? [] : [behindText(lag, index)];
}

/** The commands for what a search with hits was probably meant as. */
function meantSearch(
  { suggested_query: query, suggested_total: total, notes = [] }: SearchResponse,
  search: ModeRequest,
  page: Pick<HitView, 'index'>,
): readonly string[] {
  if (!total || search.mode !== 'lexical' || query === search.request.query)
    return requestCommands(notes);
  const meant = { ...search, request: { ...search.request, query } };
  return [searchCommand(meant, page)];
}

/** The command for the page after this one; of the last page none. */
function nextPage(
  answer: SearchResponse,
  search: ModeRequest,
  page: Pick<HitView, 'index' | 'like'>,
): readonly string[] {
  const shown = (search.request.offset ?? 0) + answer.hits.length;
  const last = answer.hits.at(-1);
  if (last === undefined || shown >= answer.total) return [];
  const from = last.sort === undefined ? shown : shellWord(JSON.stringify(last.sort));
  return [searchCommand(search, page, last.sort === undefined ? '--offset' : '--after', `${from}`)];
}

/** The command of a search, with `more` behind its flags. */
function searchCommand(
  search: ModeRequest,
  { index: { index }, like }: Pick<HitView, 'index' | 'like'>,
  ...more: readonly string[]
): string {
  const mode = search.mode === 'lexical' ? [] : ['--mode', search.mode];
  const parts = ['lhs search', index, ...mode, ...flagWords(search.request), ...more];
  if (like !== undefined) return [...parts, '--like', shellWord(like)].join(' ');
  const query = textOf(search);
  if (query === undefined) return parts.join(' ');
  if (query.startsWith('-')) return [...parts, '--', shellWord(query)].join(' ');
  return parts.toSpliced(2, 0, shellWord(query)).join(' ');
}

/** The argument after the index: the query or the text; undefined for a vector alone. */
function textOf(search: ModeRequest): string | undefined {
  if (search.mode === 'lexical') return search.request.query ?? '*:*';
  return search.request.query_text;
}

/** Why a semantic search has no hits, as far as the response contains the reason. */
export function nothingNear(
  answer: SearchResponse,
  request: { readonly pit_id?: string },
  index: Followed,
  style: Style,
  columns: number,
): string[] {
  const said = remarks(answer, style, columns);
  const why = said.length > 0 ? said : ['no row with a vector is left by filter and --min-score'];
  const fields = `fields: lhs index describe ${index.index}`;
  return ['0 hits.', ...lagLines(answer, request, index), ...why, fields];
}

/** Words that were found in fields that were not searched: `ruth: last:Ruth has 4`. */
export const elsewhereLines = (clauses: readonly ClauseCount[]): string[] =>
  clauses.flatMap(({ clause, elsewhere = [] }) =>
    elsewhere.map((found) => `${clause}: ${found.clause} has ${count(found.total)}`),
  );

const FIX = ', or the same command with --fix';

/**
 * `0 hits. timeout: 311 · service:biling: 0 (did you mean service:billing? 3 hits)`, then why
 * (remarks on the response) and the ways out.
 */
export function nothingFound(
  answer: Pick<SearchResponse, 'clauses' | 'suggested_query' | 'notes'> & TableLag,
  request: { readonly query?: string; readonly pit_id?: string },
  followed: Followed,
  { command = 'search', why = [] }: { command?: string; why?: readonly string[] } = {},
): string[] {
  const { clauses = [], suggested_query: meant, notes } = answer;
  const { index } = followed;
  const parts = clauses.map(clauseText);
  const tail = parts.length > 0 ? ` ${parts.join(' · ')}` : '';
  const next =
    meant === undefined || meant === request.query
      ? requestCommands(notes ?? []).map((line) => `next: ${line}`)
      : [`next: lhs ${command} ${index} ${shellWord(meant)}${command === 'search' ? FIX : ''}`];
  const fields = `fields: lhs index describe ${index}`;
  const lag = lagLines(answer, request, followed);
  return [`0 hits.${tail}`, ...lag, ...elsewhereLines(clauses), ...why, ...next, fields];
}
