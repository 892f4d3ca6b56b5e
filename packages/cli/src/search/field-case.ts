/** Names of fields in flags, in the case in which the index has them. */
import { LhsError } from '@lakehouse-search/contract';
import { type BackendApi, sameLetters } from '@lakehouse-search/contract/internal';
import type { AggregationFlags } from './aggregation-flags.ts';
import { described } from './described.ts';
import type { SearchFlags } from './search-flags.ts';

/** Flags whose values are names of fields, perhaps with an order or an interval behind them. */
interface NamingFlags extends SearchFlags, Omit<AggregationFlags, 'aggs'> {
  readonly field?: string | readonly string[];
}

const NAMING: readonly (keyof NamingFlags)[] = [
  ...(['sort', 'fields', 'field', 'facet', 'collapse', 'highlight-fields'] as const),
  ...(['lexical-fields', 'vector-field', 'terms', 'significant', 'stats', 'avg', 'min'] as const),
  ...(['max', 'sum', 'histogram', 'cardinality', 'percentiles'] as const),
];

/** Orders that are no field, beside a field `score` too. */
const ORDERS = ['_score', '_key'];

/** A name with its sign, and its order or interval. */
const NAMED = /^(\s*[+-]?)([^:]*?)((?::.*|\s+(?:asc|desc)(?:ending)?)?\s*)$/is;

/**
 * Returns the flags with the names of fields as the index writes them: a name without a field is
 * the only one that differs from it in case, blanks and signs. Unknown names stay as they are, and
 * so do all names if the index cannot be described.
 */
export async function inFieldCase<Flags extends NamingFlags>(
  flags: Flags,
  index: string,
  backend: BackendApi,
): Promise<Flags> {
  const named = NAMING.filter((name) => flags[name] !== undefined);
  const names = named.length === 0 ? [] : await fieldNames(index, backend);
  if (names.length === 0) return flags;
  const read = (text: string) =>
    text
      .split(',')
      .map((part) =>
        part.replace(NAMED, (_, sign, name, rest) => sign + fieldOf(name, names) + rest),
      )
      .join(',');
  const entries = named.map((name) => {
    const value = flags[name];
    return [name, Array.isArray(value) ? value.map(read) : read(`${value}`)];
  });
  return { ...flags, ...Object.fromEntries(entries) };
}

async function fieldNames(index: string, backend: BackendApi): Promise<readonly string[]> {
  try {
    const { fields } = await described(backend, index);
    return fields.map(({ name }) => name);
  } catch (error) {
    // the search itself reports the error
    if (error instanceof LhsError) return [];
    throw error;
  }
}

const fieldOf = (name: string, names: readonly string[]): string =>
  ORDERS.includes(name) ? name : (sameLetters(name, names) ?? name);
