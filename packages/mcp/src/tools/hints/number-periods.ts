import {
  type AggregateRequest,
  type AggregateResponse,
  type IndexDescription,
  type Json,
  LhsError,
} from '@lakehouse-search/contract';
import type { FlatAggregation } from '../aggregate-request.ts';
import { epochDate } from './field-values.ts';

/** The first and last number that looks like a year. */
const YEARS = [1000, 2999] as const;
const DAY_MS = 86_400_000;
/** About as many groups are proposed. */
const GROUPS = 10;

/**
 * Throws invalid_argument if the periods of a histogram are of a field of numbers: the hint has a
 * width that fits their values.
 */
export async function requireDates(
  { histogram, interval }: FlatAggregation,
  { index, fields }: IndexDescription,
  read: (request: AggregateRequest) => Promise<AggregateResponse>,
): Promise<void> {
  const field = fields.find(({ name }) => name === histogram);
  if (!field?.fast || (field.type !== 'LONG' && field.type !== 'DOUBLE')) return;
  const aggs = { all: { stats: { field: field.name } } };
  const { all } = (await read({ index, query: '*:*', aggs })).results;
  const { min, max } = all as { readonly min: Json; readonly max: Json };
  const message = `"histogram": periods need a DATE field; "${field.name}" is ${field.type}`;
  const { width, meaning } = widthOf(min, max, interval);
  const spec = { histogram: { field: field.name, interval: width } };
  const hint = `take aggs {"groups": ${JSON.stringify(spec)}}: ${meaning}`;
  throw new LhsError('invalid_argument', message, { hint });
}

function widthOf(min: Json, max: Json, interval: FlatAggregation['interval']) {
  const [from, to] = [Number(min), Number(max)];
  if (min !== null && from >= YEARS[0] && to <= YEARS[1]) {
    const width = interval === 'decade' ? 10 : 1;
    return { width, meaning: `years ${from} to ${to}; 1: years, 10: decades, 100: centuries` };
  }
  const isEpoch = epochDate(min) !== undefined && epochDate(max) !== undefined;
  if (isEpoch) return { width: DAY_MS, meaning: 'days of milliseconds' };
  const width = 10 ** Math.max(0, Math.floor(Math.log10((to - from) / GROUPS || 1)));
  return { width, meaning: `numbers from ${min} to ${max}` };
}
