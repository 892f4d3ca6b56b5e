import {
  type ClauseCount,
  clauseText,
  type IndexDescription,
  type ModeRequest,
  type SearchResponse,
  withDates,
} from '@lakehouse-search/contract';
import { count, duration, plural, snapshotName } from '../terminal/figures.ts';
import { nextSync } from '../terminal/next-step.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { Style } from '../terminal/style.ts';
import { wrap } from '../terminal/text.ts';
import { aggregationLines } from './aggregation-lines.ts';
import { facetLines } from './facet-lines.ts';
import { type HitView, hitLines, hitOrder, remarks } from './hit-lines.ts';
import { partialRemarks } from './partial.ts';
import { flagWords } from './search-flags.ts';

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
  const next = nextPage(answer, search, index.index);
  if (next !== undefined) lines.push('', style.dim(`next: ${next}`));
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
  return `${plural(lag, 'snapshot')} behind (${nextSync(index)})`;
}

/** The command for the page after this one, or undefined on the last page. */
function nextPage(answer: SearchResponse, search: ModeRequest, index: string) {
  const { request } = search;
  const shown = (request.offset ?? 0) + answer.hits.length;
  const last = answer.hits.at(-1);
  if (last === undefined || shown >= answer.total) return undefined;
  const mode = search.mode === 'lexical' ? [] : ['--mode', search.mode];
  const parts = ['lhs search', index, ...mode, ...flagWords(request)];
  if (last.sort !== undefined) parts.push('--after', shellWord(JSON.stringify(last.sort)));
  else parts.push('--offset', String(shown));
  const query = textOf(search);
  if (query === undefined) return parts.join(' ');
  if (query.startsWith('-')) return [...parts, '--', shellWord(query)].join(' ');
  parts.splice(2, 0, shellWord(query));
  return parts.join(' ');
}

/** The argument after the index: the query or the text; undefined for a vector alone. */
function textOf(search: ModeRequest): string | undefined {
  if (search.mode === 'lexical') return search.request.query ?? '*:*';
  return search.request.query_text;
}

/** Why a semantic search has no hits, as far as the response contains the reason. */
export function nothingNear(
  answer: SearchResponse,
  index: string,
  style: Style,
  columns: number,
): string[] {
  const said = remarks(answer, style, columns);
  const why = said.length > 0 ? said : ['no row with a vector is left by filter and --min-score'];
  return ['0 hits.', ...why, `fields: lhs index describe ${index}`];
}

const ACCENTS_COUNT =
  'accents count in this index: an analyzer with the filter ascii_folding finds both spellings';

/** Whether a suggestion is the text of the clause with other accents. */
function differsInAccents(clause: string, suggestion: string | undefined): boolean {
  if (suggestion === undefined) return false;
  const [own, other] = [clause, suggestion].map((text) => text.toLowerCase());
  return own !== other && withoutAccents(own) === withoutAccents(other);
}

function withoutAccents(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '');
  return plain.replace(/ß/g, 'ss').replace(/æ/g, 'ae').replace(/œ/g, 'oe').replace(/ø/g, 'o');
}

/** Words that were found in fields that were not searched: `ruth: last:Ruth has 4`. */
export const elsewhereLines = (clauses: readonly ClauseCount[]): string[] =>
  clauses.flatMap(({ clause, elsewhere = [] }) =>
    elsewhere.map((found) => `${clause}: ${found.clause} has ${count(found.total)}`),
  );

const FIX = ', or the same command with --fix';

/** `0 hits. timeout: 311 · service:biling: 0 (did you mean service:billing? 3 hits)`. */
export function nothingFound(
  { clauses = [], suggested_query: meant }: Pick<SearchResponse, 'clauses' | 'suggested_query'>,
  request: { readonly query?: string },
  index: string,
  command = 'search',
): string[] {
  const parts = clauses.map(clauseText);
  const tail = parts.length > 0 ? ` ${parts.join(' · ')}` : '';
  const accents = clauses.some(({ clause, suggestion }) => differsInAccents(clause, suggestion));
  const folding = accents ? [ACCENTS_COUNT] : [];
  const next =
    meant === undefined || meant === request.query
      ? []
      : [`next: lhs ${command} ${index} ${shellWord(meant)}${command === 'search' ? FIX : ''}`];
  const fields = `fields: lhs index describe ${index}`;
  return [`0 hits.${tail}`, ...folding, ...elsewhereLines(clauses), ...next, fields];
}
