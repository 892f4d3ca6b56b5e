import type { AggResult, Json } from '@lakehouse-search/contract';
import { checkAggregateRequest, withDates } from '@lakehouse-search/contract/internal';
import { findField, isFast } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { asIndexed, type SearchContext } from '../context.ts';
import { aggregateIndex } from '../summarize.ts';

const ORDERED = ['LONG', 'DOUBLE', 'DATE'];

/** Why a clause of numbers or dates finds nothing: where the values of its field begin and end. */
export async function fieldRange(context: SearchContext, node: Query): Promise<string | undefined> {
  const fields = queryFields(context.mapping);
  const target = 'field' in node ? findField(fields, node.field) : undefined;
  if (target?.kind !== 'field' || node.kind === 'exists') return undefined;
  const { type, name: field } = target.plan;
  if (!ORDERED.includes(type) || !isFast(target.plan, fields)) return undefined;
  const aggs = { min: { min: { field } }, max: { max: { field } } };
  const { results } = await aggregateIndex(context, checkAggregateRequest({ aggs }));
  const { min, max } = withDates(results, aggs, new Set(type === 'DATE' ? [field] : []));
  const name = `${field}${await asIndexed(context)}`;
  if (figure(min) === null) return `no row has a value of ${name}`;
  return `values of ${name} are from ${figure(min)} to ${figure(max)}`;
}

/** Years of dates without one, at most. */
const YEARS = 8;

/** The years of the first DATE field that has an order, the last first. */
export async function yearsOf(context: SearchContext): Promise<readonly string[]> {
  const fields = queryFields(context.mapping);
  const dates = [...fields.plans.values()].filter(({ type }) => type === 'DATE');
  const field = dates.find((plan) => isFast(plan, fields))?.name;
  if (field === undefined) return [];
  const aggs = { years: { date_histogram: { field, calendar_interval: 'year' } } } as const;
  const { results } = await aggregateIndex(context, checkAggregateRequest({ aggs }));
  const { years } = withDates(results, aggs, new Set([field]));
  const keys = 'buckets' in years ? years.buckets.map(({ key }) => String(key).slice(0, 4)) : [];
  return keys.toReversed().slice(0, YEARS);
}

/** A value; of dates without digits that say nothing. */
function figure(result: AggResult): Json {
  const value = 'value' in result ? result.value : null;
  return typeof value === 'string' ? value.replace(/\.0+Z$/, 'Z') : value;
}
