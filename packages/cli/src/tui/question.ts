import type {
  FieldDescription,
  Hit,
  JsonObject,
  SearchRequest,
  SortSpec,
} from '@lakehouse-search/engine';

/** How documents are found: by words, by meaning, or by both. */
export type Mode = 'lexical' | 'semantic' | 'hybrid';

/** What the screen needs to know of the index. */
export interface ScreenIndex {
  /** Empty until one has been chosen. */
  readonly name: string;
  readonly fields: readonly FieldDescription[];
  readonly sortFields: readonly string[];
  /** What it can be asked by; `lexical` always. */
  readonly modes: readonly Mode[];
}
/** What a saved query says beside its query, filter and order. */
export type Kept = Pick<SearchRequest, 'syntax' | 'default_operator' | 'collapse'>;

/** What is asked for: together they decide the hits. */
export interface Question {
  readonly mode: Mode;
  readonly query: string;
  /** Clauses that all have to hold and never score. */
  readonly filters: readonly string[];
  /** None: by relevance. */
  readonly sort: readonly SortSpec[];
  readonly kept: Kept;
  readonly limit: number;
}
/** The newest answer, and the question that it answers. */
export interface Answer {
  readonly question: Question;
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly tookMs: number;
  readonly lag: number | null;
  /** The query that was run instead, where the one asked found nothing. */
  readonly widened?: string;
  /** What has to be said of the answer. */
  readonly caveat?: string;
}

/** The query of an empty line. */
export const EVERYTHING = '*:*';

/** Two questions with the same hits. */
export function sameQuestion(a: Question | undefined, b: Question): boolean {
  return a === b || (a !== undefined && JSON.stringify(parts(a)) === JSON.stringify(parts(b)));
}

const parts = ({ mode, query, filters, sort, kept, limit }: Question) => [
  ...[mode, query, filters, sort, limit],
  ...[kept.syntax, kept.default_operator, kept.collapse],
];

/** The part of a request that says which documents are found by their words. */
export function matchOf(
  index: string,
  { query, filters, kept: { collapse: _, ...kept } }: Question,
): Pick<SearchRequest, 'index' | 'query' | 'filter' | 'syntax' | 'default_operator'> {
  const filter = filterText(filters);
  return { index, query, ...(filter === undefined ? {} : { filter }), ...kept };
}

/** The wire request of a question that is asked by words, as it can be kept too. */
export function keptRequest(index: string, question: Question): SearchRequest {
  const { sort, kept } = question;
  return {
    ...matchOf(index, question),
    ...(sort.length === 0 ? {} : { sort }),
    ...(kept.collapse === undefined ? {} : { collapse: kept.collapse }),
  };
}

/** The request of a page of the screen. */
export function requestOf(index: string, question: Question): SearchRequest {
  const highlight = { max_fragments: 1, fragment_size: 200 };
  return { ...keptRequest(index, question), limit: question.limit, highlight };
}

const SIMPLE = /[\w.]+:(?:"(?:\\.|[^"\\])*"|[^\s()"]+)/g;

/** The clauses as one filter: `service:billing AND severity:2`; undefined without any. */
export function filterText(filters: readonly string[]): string | undefined {
  if (filters.length < 2) return filters[0];
  return filters.map((one) => (isSimple(one) ? one : `(${one})`)).join(' AND ');
}

/** A filter as the clauses that it was made of, where it was; else as one. */
export function filterClauses(filter: string): readonly string[] {
  const clauses = filter.match(SIMPLE) ?? [];
  return clauses.join(' AND ') === filter ? clauses : [filter];
}

const isSimple = (clause: string): boolean => clause.match(SIMPLE)?.[0] === clause;

/** What a saved request asks for, as far as the screen can show it. */
export interface Restored {
  readonly query: string;
  readonly filters: readonly string[];
  readonly sort: readonly SortSpec[];
  readonly kept: Kept;
}

/** The parts of a saved request; `tree` writes a query tree as a query string. */
export async function restored(
  request: SearchRequest,
  tree: (ast: JsonObject) => Promise<string>,
): Promise<Restored> {
  const { ast, filter, sort = [], collapse, syntax } = request;
  const query = ast === undefined ? (request.query ?? '') : await tree(ast as JsonObject);
  const operator = ast === undefined ? request.default_operator : undefined;
  return {
    query: query === EVERYTHING ? '' : query,
    filters: typeof filter === 'object' ? [await tree(filter)] : filterClauses(filter ?? ''),
    sort,
    kept: {
      ...(syntax === undefined ? {} : { syntax }),
      ...(operator === undefined ? {} : { default_operator: operator }),
      ...(collapse === undefined ? {} : { collapse }),
    },
  };
}
