/** Clauses of fields in a query string that were probably meant as a text, or with AND. */
import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { type Correction, meantQuery } from '../../query/bind/correction.ts';
import { isMisnamed } from '../../query/bind/fields.ts';
import { clausesOf, isOperator } from '../../query/bind/remarks.ts';
import { innerQueries, isCompound, positiveQueries, type Query } from '../../query/query.ts';
import { quote } from '../../query/syntax/characters.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { readFilter, readQuery } from '../../shard/request/bind-request.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { ReadRequest } from './read-request.ts';

/** The clauses of unknown fields, such as `libc6:amd64`; none if the text cannot be parsed. */
export function unknownClauses(
  mapping: Mapping,
  request: SearchRequest,
  part: 'query' | 'filter',
): readonly Query[] {
  try {
    const tree = part === 'query' ? readQuery(request, mapping) : readFilter(request, mapping);
    const fields = queryFields(mapping);
    return leavesIn(tree).filter((leaf) => 'field' in leaf && isMisnamed(fields, leaf.field));
  } catch (error) {
    if (error instanceof LhsError) return [];
    throw error;
  }
}

/** The query with clauses of unknown fields as phrases; undefined: none can be one. */
export function withPhrases(text: string, unknown: readonly Query[]): string | undefined {
  const phrases = unknown.flatMap(({ kind, span, fieldSpan }): readonly Correction[] =>
    kind === 'range' || span === undefined || span.from !== fieldSpan?.from
      ? []
      : [{ ...span, text: quote(text.slice(span.from, span.to).replaceAll('"', '')), why: '' }],
  );
  return meantQuery(text, phrases)?.query;
}

function leavesIn(query: Query | null): readonly Query[] {
  if (query === null) return [];
  return isCompound(query) ? innerQueries(query).flatMap(leavesIn) : [query];
}

/**
 * The query whose clauses stand side by side, `least` or more of fields that differ and the others
 * bare words, with AND between them; undefined: it is another one.
 */
export function withAnd({ checked, tree }: ReadRequest, least = 1): string | undefined {
  const { query: text, default_operator } = checked.request;
  if (text === undefined || default_operator === 'and') return undefined;
  if (tree.kind !== 'bool' || tree.should.length < 2) return undefined;
  const clauses = clausesOf(tree, text, positiveQueries);
  const named = clauses.filter(({ query, from }) => query.fieldSpan?.from === from);
  const isApart = new Set(named.flatMap(({ fields }) => fields)).size === named.length;
  const isRead = clauses.every(
    (one) => named.includes(one) || (isWordOrStart(one.query) && !isOperator(one)),
  );
  const meant = clauses.map(({ raw }) => raw).join(' AND ');
  const isAll = meant.replace(/ AND |\s/g, '') === text.replace(/\s/g, '');
  return named.length >= least && isApart && isRead && isAll ? meant : undefined;
}

/** Whether a clause is a bare word or the beginning of one. */
const isWordOrStart = ({ kind, fieldSpan }: Query): boolean =>
  fieldSpan === undefined && (kind === 'term' || kind === 'prefix');
