import {
  type HybridRequest,
  type IndexDescription,
  LhsError,
  type SearchMode,
  type SearchRequest,
  type SearchResponse,
  type SemanticRequest,
  type SortSpec,
} from '@lakehouse-search/contract';
import { sortOfText } from '@lakehouse-search/contract/internal';
import type { AgentContext } from '../base/agent-backend.ts';
import { hasFieldClause } from '../base/field-clause.ts';
import { rowPath } from './hits/row-paths.ts';
import type { Budgeted, IndexNames } from './page-arguments.ts';

/** The arguments of a search. */
export interface SearchInput extends Budgeted {
  readonly index?: IndexNames;
  readonly query: string;
  readonly mode?: SearchMode;
  readonly filter?: string;
  readonly operator?: 'or' | 'and';
  readonly k?: number;
  readonly sort?: string;
  readonly limit?: number;
  readonly fields?: readonly string[];
  readonly detail?: 'preview' | 'ids' | 'full';
  readonly columns?: readonly string[];
  readonly min_snapshot?: string;
}

/** Which hits of an index are read. */
interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Fields of clauses that the index may lack. */
  readonly optional_fields?: readonly string[];
}

/** One short fragment of each field that the query found. */
const FRAGMENT = { matched: true, max_fragments: 1, fragment_size: 160 };

/** Milliseconds that a search waits for the snapshot that it requests. */
const WAIT_MS = 10_000;

/** Runs a search of its mode from an offset. Throws as the operations do. */
export function runSearch(
  input: SearchInput,
  page: Page,
  index: IndexDescription,
  { backend, call }: AgentContext,
): Promise<SearchResponse> {
  const { query, mode = 'lexical', filter, sort, k, min_snapshot } = input;
  refuseOfOtherModes(input);
  const common: SearchRequest = {
    ...page,
    index: index.index,
    ...(filter === undefined || filter === '' ? {} : { filter }),
    ...returned(input, index),
    ...(sort === undefined || sort === '' ? {} : { sort: sortKeys(sort) }),
    ...(min_snapshot === undefined ? {} : { min_snapshot, wait_ms: WAIT_MS }),
  };
  const highlight = input.detail === 'ids' ? {} : { highlight: FRAGMENT };
  if (mode === 'lexical') {
    const request = { ...common, ...joined(input), ...highlight, query, suggest: true };
    return backend.search(request, call);
  }
  const near: SemanticRequest = {
    ...common,
    query_text: query,
    ...(k === undefined ? {} : { k }),
  };
  if (mode === 'semantic') return backend.semantic(near, call);
  const both: HybridRequest = { ...near, ...highlight };
  return backend.hybrid(both, call);
}

/** The operator of a query: clauses of fields are conditions, words alone are ranked. */
export function joined({
  query,
  operator,
}: Pick<SearchInput, 'query' | 'operator'>): SearchRequest {
  if (operator !== undefined) return { default_operator: operator };
  return hasFieldClause(query) ? { default_operator: 'and' } : {};
}

/** A search whose fields are those of an index; of those that no index has, all are left. */
export const fieldsIn = (
  input: SearchInput,
  index: IndexDescription,
  all: readonly IndexDescription[],
): SearchInput => {
  const has = (name: string, one: IndexDescription) =>
    one.fields.some((field) => field.name === name) || isPath(name, one);
  const isWanted = (name: string) => has(name, index) || !all.some((one) => has(name, one));
  return input.fields === undefined ? input : { ...input, fields: input.fields.filter(isWanted) };
};

/** The fields that the index returns; others come from the row. */
function returned({ fields, detail }: SearchInput, index: IndexDescription): SearchRequest {
  if (detail === 'ids') return { fields: [] };
  if (fields === undefined) return {};
  const inTable = index.fields.filter(({ cached, type }) => !cached && type !== 'VECTOR');
  const isInTable = (name: string) => inTable.some((field) => field.name === name);
  return { fields: fields.filter((name) => !isInTable(name) && !isPath(name, index)) };
}

/** True for a path that is no field: its value is in the row alone. */
const isPath = (name: string, index: IndexDescription): boolean =>
  rowPath(name, index) !== undefined && index.fields.every((field) => field.name !== name);

/** Names of the fields of an order. */
export const sortFields = (sort: string | undefined): readonly string[] =>
  sortKeys(sort).flatMap(({ field }) => (field.startsWith('_') ? [] : field));

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
export function sortKeys(text = ''): readonly SortSpec[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const key = sortOfText(part);
    if (key !== null) return key;
    const hint = 'write field:desc,other_field:asc';
    throw new LhsError('invalid_argument', `"sort" is ${JSON.stringify(text)}`, { hint });
  });
}
