import {
  type FieldDescription,
  type Hit,
  LhsError,
  type ModeRequest,
  type NearestSpec,
  type QueryTree,
  type SearchMode,
  type SearchRequest,
  type SortSpec,
} from '@lakehouse-search/contract';

/** What the screen needs to know of the index. */
export interface ScreenIndex {
  /** Empty until one has been chosen. */
  readonly name: string;
  readonly fields: readonly FieldDescription[];
  readonly sortFields: readonly string[];
  /** The fields that the facets pane counts: with few values, at most four. */
  readonly facetFields: readonly string[];
  /** Columns of the table that the list shows if the index caches no text. */
  readonly rowTexts: readonly string[];
  /** Its search modes; always with `lexical`. */
  readonly modes: readonly SearchMode[];
  /** The VECTOR field that texts are compared with. */
  readonly vectorField?: string;
  /** Why semantic search is not possible. */
  readonly lexicalOnly?: string;
}
/** The parts of a saved query besides query, filter and order. */
export type Kept = Pick<SearchRequest, 'syntax' | 'default_operator' | 'collapse'>;

/** A question: its parts determine the hits. */
export interface Question {
  readonly mode: SearchMode;
  readonly query: string;
  /** Clauses that every hit must match, without scoring. */
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
  /** The query that ran: clauses joined, the last word as a prefix; absent: the line as it is. */
  readonly ran?: string;
  /** Remarks on the response. */
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

/** The part of a request that selects documents by their words. */
export function matchOf(
  index: string,
  { query, filters, kept: { collapse: _, ...kept } }: Question,
): Pick<SearchRequest, 'index' | 'query' | 'filter' | 'syntax' | 'default_operator'> {
  const filter = filterText(filters);
  return { index, query, ...(filter === undefined ? {} : { filter }), ...kept };
}

/** The request of a lexical question without a page. */
export function keptRequest(index: string, question: Question): SearchRequest {
  const { sort, kept } = question;
  return {
    ...matchOf(index, question),
    ...(sort.length === 0 ? {} : { sort }),
    ...(kept.collapse === undefined ? {} : { collapse: kept.collapse }),
  };
}

/** A semantic question needs a text: an empty line matches everything in every mode. */
export const modeOf = ({ mode, query }: Question): SearchMode =>
  query === EVERYTHING ? 'lexical' : mode;

/** The text or vector of a semantic question. */
export function nearestOf({ vectorField }: ScreenIndex, { query }: Question): NearestSpec {
  return {
    query_text: query,
    ...(vectorField === undefined ? {} : { vector_field: vectorField }),
  };
}

/** The search of a question as it can be saved, in its mode. */
export const keptSearch = (index: ScreenIndex, question: Question): ModeRequest =>
  searchOf(index, question, {});

/** The search of a question, in its mode; `page` is what is wanted of its hits. */
export function searchOf(
  index: ScreenIndex,
  question: Question,
  page: Pick<SearchRequest, 'limit' | 'highlight' | 'facets'>,
): ModeRequest {
  const { query, ...rest } = keptRequest(index.name, question);
  const mode = modeOf(question);
  if (mode === 'lexical') return { mode, request: { query, ...rest, ...page } };
  const request = { ...rest, ...nearestOf(index, question), ...page };
  return mode === 'semantic' ? { mode, request } : { mode, request };
}

/** The page of hits that the screen shows. */
export function pageOf({ limit }: Question): Pick<SearchRequest, 'limit' | 'highlight'> {
  return { limit, highlight: { matched: true, max_fragments: 1, fragment_size: 200 } };
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

/** The question of a saved request, as far as the screen can show it. */
export interface Restored {
  readonly mode: SearchMode;
  readonly query: string;
  readonly filters: readonly string[];
  readonly sort: readonly SortSpec[];
  readonly kept: Kept;
}

/**
 * The parts of a saved search; `tree` writes a query tree as a query string. Throws
 * invalid_argument for a vector.
 */
export async function restored(
  search: ModeRequest,
  tree: (ast: QueryTree) => Promise<string>,
): Promise<Restored> {
  const { filter, sort = [], collapse, syntax } = search.request;
  const query = await questionText(search, tree);
  const isTree = search.mode === 'lexical' && search.request.ast !== undefined;
  const operator = isTree ? undefined : search.request.default_operator;
  return {
    mode: search.mode,
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

async function questionText(
  search: ModeRequest,
  tree: (ast: QueryTree) => Promise<string>,
): Promise<string> {
  if (search.mode === 'lexical') {
    const { ast, query = '' } = search.request;
    return ast === undefined ? query : tree(ast);
  }
  const { query_text: text, query_vector: vector } = search.request;
  if (text !== undefined && vector === undefined) return text;
  throw new LhsError('invalid_argument', 'a vector has no text that the screen could show');
}
