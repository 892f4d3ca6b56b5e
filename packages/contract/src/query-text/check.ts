/** Requests that read and write query strings, analyse texts, suggest terms and measure queries. */
import { INDEX_FIELDS, name, tree } from '../checks/shared.ts';
import {
  type Fields,
  flag,
  list,
  oneOf,
  requestOf,
  text,
  textUpTo,
  whole,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { SEARCH_FIELDS } from '../search/check.ts';
import type {
  AnalyzeRequest,
  BenchRequest,
  ParseQueryRequest,
  PrintQueryRequest,
  SuggestRequest,
} from './request.ts';

const { syntax, default_operator } = SEARCH_FIELDS;

const PARSE_FIELDS: Fields<ParseQueryRequest> = {
  ...INDEX_FIELDS,
  query: text,
  syntax,
  default_operator,
};
/** Checks a request to read a query string. Throws invalid_argument. */
export const checkParseRequest = requestOf<ParseQueryRequest>(PARSE_FIELDS, 'query');

const PRINT_FIELDS: Fields<PrintQueryRequest> = { ...INDEX_FIELDS, ast: tree, syntax };
/** Checks a request to write a tree as a query string. Throws invalid_argument. */
export const checkPrintRequest = requestOf<PrintQueryRequest>(PRINT_FIELDS, 'ast');

const ANALYZE_FIELDS: Fields<AnalyzeRequest> = {
  ...INDEX_FIELDS,
  field: name,
  analyzer: name,
  text: textUpTo(REQUEST_LIMITS.analyzedBytes),
};
const readAnalyze = requestOf<AnalyzeRequest>(ANALYZE_FIELDS, 'text');

/** Checks a request to analyse a text. Throws invalid_argument or limit_exceeded. */
export function checkAnalyzeRequest(value: unknown): AnalyzeRequest {
  const request = readAnalyze(value);
  if ((request.field === undefined) === (request.analyzer === undefined)) {
    throw new LhsError('invalid_argument', 'name a field or an analyzer, one of the two');
  }
  return request;
}

const SUGGEST_FIELDS: Fields<SuggestRequest> = {
  ...INDEX_FIELDS,
  field: name,
  text: textUpTo(REQUEST_LIMITS.queryBytes),
  limit: whole(0, REQUEST_LIMITS.suggestions),
  fuzzy: flag,
  max_edits: whole(0, REQUEST_LIMITS.fuzzyEdits),
};
/** A request for suggestions whose shape is right; no text is the empty one. */
export type CheckedSuggest = SuggestRequest & { readonly text: string };

const readSuggest = requestOf<SuggestRequest>(SUGGEST_FIELDS, 'field');

/** Checks a request for suggestions. Throws invalid_argument or limit_exceeded. */
export function checkSuggestRequest(value: unknown): CheckedSuggest {
  const request = readSuggest(value);
  if (request.max_edits !== undefined && request.fuzzy !== true) {
    throw new LhsError('invalid_argument', '"max_edits" needs "fuzzy": true');
  }
  return { ...request, text: request.text ?? '' };
}

const BENCH_FIELDS: Fields<BenchRequest> = {
  ...INDEX_FIELDS,
  queries: list(text, 100_000),
  operator: oneOf('or', 'and', 'phrase', 'query'),
  limit: whole(0, REQUEST_LIMITS.pageHits),
  warm: whole(0, 1000),
  repeat: whole(1, 1000),
};

/** Checks a benchmark's request. Throws invalid_argument or limit_exceeded that name the field. */
export const checkBenchRequest = requestOf<BenchRequest>(BENCH_FIELDS, 'queries');
