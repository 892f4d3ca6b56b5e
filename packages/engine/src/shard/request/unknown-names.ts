import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { findField, type QueryFields, unknownFieldsHint } from '../../query/bind/fields.ts';
import { innerQueries, type Query } from '../../query/query.ts';

/**
 * An error that lists all unknown names of a request, at the place of the error about one of them;
 * undefined: it has at most one.
 */
export function unknownNames(
  { sort = [], collapse, fields: shown = [], highlight }: SearchRequest,
  trees: readonly Query[],
  fields: QueryFields,
  error: unknown,
): LhsError | undefined {
  const named = new Map([
    ...(highlight?.fields ?? []).map((name) => [name, 'highlight.fields'] as const),
    ...shown.map((name) => [name, 'fields'] as const),
    ...(collapse === undefined ? [] : [[collapse, 'collapse'] as const]),
    ...sort.map(({ field }) => [field, 'sort'] as const),
    ...trees.flatMap(namesOf).map((name) => [name, 'the query'] as const),
  ]);
  const unknown = [...named]
    .filter(([name]) => !/^_(score|key)$/.test(name) && findField(fields, name) === undefined)
    .toReversed();
  if (unknown.length < 2) return undefined;
  const listed = unknown.map(([name, part]) => `"${name}" (${part})`).join(', ');
  const message = `these fields are not in index "${fields.index}": ${listed}`;
  const names = unknown.map(([name]) => name);
  const place = error instanceof LhsError ? error.place : undefined;
  return new LhsError('invalid_argument', message, {
    ...unknownFieldsHint(fields, names),
    ...(place === undefined ? {} : { place }),
  });
}

const namesOf = (query: Query): readonly string[] =>
  'field' in query ? [query.field] : innerQueries(query).flatMap(namesOf);
