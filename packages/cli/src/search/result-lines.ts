import type {
  ClauseCount,
  IndexDescription,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import { count, duration, plural, snapshotName } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import { wrap } from '../terminal/text.ts';
import { facetLines } from './facet-lines.ts';
import { hitLines } from './hit-lines.ts';
import { remarks } from './meaning-lines.ts';
import type { SearchQuestion } from './question.ts';

/** A search answer as people read it: total, time and freshness; the hits; what to do next. */
export function resultLines(
  answer: SearchResponse,
  question: SearchQuestion,
  index: IndexDescription,
  style: Style,
  columns: number,
): string[] {
  const { request } = question;
  const lines = wrap(headline(answer, request, index, style), columns);
  lines.push(...remarks(answer, style, columns));
  if (answer.facets !== undefined && answer.facets.length > 0) {
    lines.push('', ...facetLines(answer.facets, style, columns));
  }
  const offset = request.offset ?? 0;
  answer.hits.forEach((hit, i) => {
    lines.push('', ...hitLines(hit, offset + i + 1, index, style, columns));
  });
  const next = nextPage(answer, question, index.index);
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
    freshness(answer, request, index.index),
  ];
  if (answer.partial && answer.failed_arms === undefined)
    parts.push(style.yellow('partial: a shard did not answer'));
  return parts.join(' · ');
}

function freshness(
  answer: SearchResponse,
  request: { readonly pit_id?: string },
  index: string,
): string {
  if (answer.snapshot === null) return 'the table is empty';
  const lag = answer.lag_snapshots;
  const snapshot = `snapshot ${snapshotName(answer.snapshot)}`;
  if (request.pit_id !== undefined) return `at a point in time (${snapshot})`;
  if (lag === null) return `the table cannot be reached (${snapshot})`;
  if (lag === 0) return `at the table’s head (${snapshot})`;
  return `${plural(lag, 'snapshot')} behind (lhs index sync ${index})`;
}

/** The command for the page after this one, or undefined on the last page. */
function nextPage(answer: SearchResponse, question: SearchQuestion, index: string) {
  const { request } = question;
  const shown = (request.offset ?? 0) + answer.hits.length;
  const last = answer.hits.at(-1);
  if (last === undefined || shown >= answer.total) return undefined;
  const parts = ['lhs search', index, ...modeWords(question), ...flagWords(request)];
  if (last.sort !== undefined) parts.push('--after', quote(JSON.stringify(last.sort)));
  else parts.push('--offset', String(shown));
  const query = textOf(question);
  if (query === undefined) return parts.join(' ');
  if (query.startsWith('-')) return [...parts, '--', quote(query)].join(' ');
  parts.splice(2, 0, quote(query));
  return parts.join(' ');
}

/** What stands behind the index: the query, or the text; undefined for a vector alone. */
function textOf(question: SearchQuestion): string | undefined {
  if (question.mode === 'lexical') return question.request.query ?? '*:*';
  return question.request.query_text;
}

/** The flags of a search by meaning. A vector is not repeated. */
function modeWords(question: SearchQuestion): string[] {
  if (question.mode === 'lexical') return [];
  const { request } = question;
  const valued: [string, string | undefined][] = [
    ['--mode', question.mode],
    ['--vector-field', request.vector_field],
    ['--vector', request.query_vector && '@FILE'],
    ['--k', request.k?.toString()],
    ['--min-score', request.min_score?.toString()],
    ['--ef', request.ef?.toString()],
  ];
  if (question.mode === 'hybrid') {
    const { rrf_k, weights, lexical_fields } = question.request;
    valued.push(
      ['--rrf-k', rrf_k?.toString()],
      ['--weights', weights && `${weights.lexical ?? 1},${weights.semantic ?? 1}`],
      ['--lexical-fields', lexical_fields?.join(',')],
    );
  }
  const words = valued.flatMap(([flag, value]) => (value ? [flag, quote(value)] : []));
  return request.exact ? [...words, '--exact'] : words;
}

/** The flags that said what is asked for, its page aside. */
function flagWords(request: Omit<SearchRequest, 'query' | 'ast'>): string[] {
  const sort = request.sort?.map((s) => `${s.field}${s.desc ? ':desc' : ''}`).join(',');
  const valued: [string, string | undefined][] = [
    ['--syntax', request.syntax],
    ['--operator', request.default_operator],
    ['--filter', typeof request.filter === 'string' ? request.filter : undefined],
    ['--sort', sort],
    ['--limit', request.limit ? String(request.limit) : undefined],
    ['--pit', request.pit_id],
    ['--fields', request.fields?.join(',')],
    ['--collapse', request.collapse],
    ['--columns', request.hydrate_columns?.join(',')],
  ];
  for (const field of request.facets?.fields ?? []) valued.push(['--facet', field]);
  const words = valued.flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, quote(value)],
  );
  return request.hydrate && request.hydrate_columns === undefined ? [...words, '--hydrate'] : words;
}

/** A word for a POSIX shell. */
export function quote(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** Why nothing is near, as far as the answer says it. */
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

/** `0 hits. timeout: 311 · service:biling: 0 (did you mean billing?)`. */
export function nothingFound(clauses: readonly ClauseCount[], index: string): string[] {
  const parts = clauses.map((c) => {
    const hint = c.suggestion === undefined ? '' : ` (did you mean ${c.suggestion}?)`;
    return `${c.clause}: ${count(c.total)}${hint}`;
  });
  const tail = parts.length > 0 ? ` ${parts.join(' · ')}` : '';
  return [`0 hits.${tail}`, `fields: lhs index describe ${index}`];
}
