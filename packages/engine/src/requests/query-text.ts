/** Requests that read and write query strings. */
import type { ParseQueryRequest, PrintQueryRequest } from '../backend.ts';
import { type Fields, requestOf, text } from './checks.ts';
import { SEARCH_FIELDS } from './search.ts';
import { INDEX_FIELDS, tree } from './wire.ts';

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
