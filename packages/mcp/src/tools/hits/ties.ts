import type { AggBucket, AggResult, Json } from '@lakehouse-search/contract';
import { isPlain } from '@lakehouse-search/contract/internal';
import type { AgentContext } from '../../base/agent-backend.ts';
import type { Answered } from '../answer-each.ts';
import { joined, type SearchInput, sortFields, sortKeys } from '../search-request.ts';
import type { MergedHit } from './merge-hits.ts';

/** A note if the next row after a page has the same values of its order as the last one. */
export async function tiesOfPage(
  input: SearchInput,
  [last, next]: readonly (MergedHit | undefined)[],
  indexes: readonly Pick<Answered<unknown>, 'index'>[],
  context: AgentContext,
): Promise<readonly string[]> {
  const fields = sortFields(input.sort);
  if (last === undefined || next === undefined) return [];
  if (fields.length === 0 || fields.length < sortKeys(input.sort).length) return [];
  const valuesOf = ({ hit }: MergedHit) => fields.map((_, i) => hit.sort?.[i] ?? null);
  const values = valuesOf(last);
  if (JSON.stringify(values) !== JSON.stringify(valuesOf(next))) return [];
  const shown = fields.map((name, i) => `${name} ${JSON.stringify(values[i])}`).join(', ');
  const [one] = indexes;
  const isCounted = indexes.length === 1 && !values.includes(null);
  const { query, filter = '' } = input;
  const equal = fields.map((name, i) => `${name}:${JSON.stringify(String(values[i]))}`);
  const all = [...(filter === '' ? [] : [`(${filter})`]), ...equal].join(' AND ');
  const match = { query, ...joined(input), filter: all, limit: 1, fields: [] };
  const rows =
    isCounted && (input.mode ?? 'lexical') === 'lexical'
      ? (await context.backend.search({ index: one.index.index, ...match }, context.call)).total
      : 'more';
  return [`ties: ${rows} rows have ${shown}, as the last one here`];
}

/** The first groups of a result that has one more, and a note if that one ties with the last. */
export function withoutNext(
  result: AggResult | undefined,
  size: number,
  order = '_count',
): { readonly result?: AggResult; readonly notes: readonly string[] } {
  if (result === undefined || !('sum_other_doc_count' in result)) return { notes: [] };
  const { buckets, sum_other_doc_count: others } = result;
  const [last, next] = [buckets[size - 1], buckets[size]];
  if (next === undefined) return { result, notes: [] };
  const sum_other_doc_count = others + next.doc_count;
  const cut = { ...result, buckets: buckets.slice(0, size), sum_other_doc_count };
  const figure = order.replace(/:(?:asc|desc)$/, '');
  const value = figureOf(last, figure);
  const isTied =
    figure !== '_key' && JSON.stringify(value) === JSON.stringify(figureOf(next, figure));
  const note = `ties: more groups have ${figure} ${JSON.stringify(value)}, as the last one here`;
  return { result: cut, notes: isTied ? [note] : [] };
}

/** A figure of a group: `_count`, `stats.avg`. */
function figureOf({ doc_count, aggs }: AggBucket, path: string): Json {
  if (path === '_count') return doc_count;
  const [name, part = 'value'] = path.split('.');
  const result = aggs?.[name];
  return isPlain(result) ? ((result as { readonly [part: string]: Json })[part] ?? null) : null;
}
