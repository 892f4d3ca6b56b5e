/** Requests that read and write query strings. */
import { INDEX_FIELDS, name, tree } from '../checks/shared.ts';
import { type Fields, requestOf, text } from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { SEARCH_FIELDS } from '../search/check.ts';
import type { AnalyzeRequest, ParseQueryRequest, PrintQueryRequest } from './request.ts';

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
  text,
};
const readAnalyze = requestOf<AnalyzeRequest>(ANALYZE_FIELDS, 'text');

/** Checks a request to analyse a text. Throws invalid_argument. */
export function checkAnalyzeRequest(value: unknown): AnalyzeRequest {
  const request = readAnalyze(value);
  if ((request.field === undefined) === (request.analyzer === undefined)) {
    throw new LhsError('invalid_argument', 'name a field or an analyzer, one of the two');
  }
  return request;
}
