import {
  type HybridRequest,
  LhsError,
  type SearchMode,
  type SearchRequest,
  type SearchResponse,
  type SemanticRequest,
  type SortSpec,
} from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import type { Budgeted } from './page-arguments.ts';

/** The arguments of a search. */
export interface SearchInput extends Budgeted {
  readonly index?: string;
  readonly query: string;
  readonly mode?: SearchMode;
  readonly filter?: string;
  readonly operator?: 'or' | 'and';
  readonly k?: number;
  readonly sort?: string;
  readonly limit?: number;
  readonly fields?: readonly string[];
  readonly hydrate?: boolean;
  readonly columns?: readonly string[];
}

/** One short fragment of each field that the query found. */
const FRAGMENT = { matched: true, max_fragments: 1, fragment_size: 160 };

/** Runs a search of its mode from an offset. Throws as the operations do. */
export function runSearch(
  input: SearchInput,
  page: { readonly index: string; readonly offset: number; readonly limit: number },
  { backend, call }: AgentContext,
): Promise<SearchResponse> {
  const { query, mode = 'lexical', filter, operator, sort, fields, k } = input;
  refuseOfOtherModes(input);
  const common: SearchRequest = {
    ...page,
    ...(filter === undefined || filter === '' ? {} : { filter }),
    ...(fields === undefined ? {} : { fields }),
    ...(sort === undefined || sort === '' ? {} : { sort: sortKeys(sort) }),
  };
  if (mode === 'lexical') {
    const words = operator === undefined ? {} : { default_operator: operator };
    const request = { ...common, ...words, query, highlight: FRAGMENT, suggest: true };
    return backend.search(request, call);
  }
  const near: SemanticRequest = {
    ...common,
    query_text: query,
    ...(k === undefined ? {} : { k }),
  };
  if (mode === 'semantic') return backend.semantic(near, call);
  const both: HybridRequest = { ...near, highlight: FRAGMENT };
  return backend.hybrid(both, call);
}

/** Throws invalid_argument for an argument that the mode of the search has no use for. */
function refuseOfOtherModes({ mode = 'lexical', operator, k }: SearchInput): void {
  const isLexical = mode === 'lexical';
  const name = isLexical ? k !== undefined && 'k' : operator !== undefined && 'operator';
  if (name === false) return;
  throw new LhsError('invalid_argument', `"${name}" does not go with mode ${mode}`, {
    hint: isLexical ? 'it is for semantic and hybrid' : 'their query is plain words: use filter',
  });
}

/** `opened_at:desc,severity` as sort keys. Throws invalid_argument. */
function sortKeys(text: string): readonly SortSpec[] {
  return text.split(',').map((part) => {
    const [, field, order = 'asc'] = /^\s*(.+?)(?::(asc|desc))?\s*$/.exec(part) ?? [];
    if (field !== undefined) return { field, desc: order === 'desc' };
    const hint = 'write field:desc,other_field:asc';
    throw new LhsError('invalid_argument', `"sort" is ${JSON.stringify(text)}`, { hint });
  });
}
