import {
  type CallContext,
  LhsError,
  type ParseQueryRequest,
  type PrintQueryRequest,
  type QueryTree,
} from '@lakehouse-search/contract';
import { checkParseRequest, checkPrintRequest } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import { bindQuery } from '../../query/bind/bind.ts';
import { parseQuery } from '../../query/syntax/parse.ts';
import { printQuery } from '../../query/syntax/print.ts';
import { requireSayable } from '../../query/syntax/sayable.ts';
import { readTree } from '../../query/tree/read.ts';
import { writeTree } from '../../query/tree/write.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { readIndex } from './reads.ts';

/** The tree of a query string. Throws invalid_query, limit_exceeded; with an index as a search. */
export async function parseText(
  indexes: LocalIndexes,
  value: ParseQueryRequest,
  call: CallContext,
): Promise<{ readonly ast: QueryTree }> {
  const request = checkParseRequest(value);
  const { syntax, default_operator: defaultOperator } = request;
  const parse = (defaultFields: readonly string[]) =>
    parseQuery(request.query, { syntax, defaultOperator, defaultFields });
  if (request.index === undefined) {
    return { ast: writeTree(parse(['text'])) };
  }
  return readIndex(indexes, { index: request.index }, call, async ({ mapping }) => {
    const query = parse(mapping.defaultFields);
    bindQuery(query, queryFields(mapping), request.query);
    return { ast: writeTree(query) };
  });
}

/**
 * The query string of a tree, short enough for a request. Throws unsupported if none expresses it,
 * limit_exceeded where it would be too long, and what reading (and with an index binding) throws.
 */
export async function printTree(
  indexes: LocalIndexes,
  request: PrintQueryRequest,
  call: CallContext,
): Promise<{ query: string }> {
  const { index, ast, syntax } = checkPrintRequest(request);
  const tree = readTree(ast);
  if (index !== undefined) {
    await readIndex(indexes, { index }, call, async ({ mapping }) => {
      bindQuery(tree, queryFields(mapping), null);
    });
  }
  requireSayable(tree);
  const query = printQuery(tree, syntax)!;
  const bytes = Buffer.byteLength(query);
  if (bytes > LIMITS.queryBytes) {
    const most = LIMITS.queryBytes;
    const message = `the query string of the tree has ${bytes} bytes: at most ${most} are read`;
    throw new LhsError('limit_exceeded', message, { hint: 'send the tree itself, as "ast"' });
  }
  parseQuery(query, { syntax });
  return { query };
}
