/** The filters of a search, and the query string that they make. */
import { queryValue } from '@lakehouse-search/contract/internal';

/** What the values of a field have to be. */
export type Filter =
  | { readonly kind: 'is' | 'not'; readonly field: string; readonly value: string }
  | { readonly kind: 'missing' | 'present'; readonly field: string }
  | {
      readonly kind: 'range';
      readonly field: string;
      /** The least value; absent: no bound. */
      readonly from?: string;
      /** The first value beyond; absent: no bound. */
      readonly to?: string;
    };

/** Values of one field are alternatives; every other filter has to match. Empty: no filter. */
export function filterText(filters: readonly Filter[]): string {
  const values = filters.flatMap((filter) => (filter.kind === 'is' ? [filter] : []));
  const fields = [...new Set(values.map(({ field }) => field))];
  const alternatives = fields.map((field) =>
    valuesText(
      field,
      values.filter((one) => one.field === field).map(({ value }) => value),
    ),
  );
  const others = filters.filter(({ kind }) => kind !== 'is').map(clauseText);
  return [...alternatives, ...others].join(' AND ');
}

function valuesText(field: string, values: readonly string[]): string {
  const list = values.map(queryValue).join(' OR ');
  return `${fieldText(field)}:${values.length === 1 ? list : `(${list})`}`;
}

/** A filter as a clause of a query string. */
export function clauseText(filter: Filter): string {
  const field = fieldText(filter.field);
  switch (filter.kind) {
    case 'is':
      return `${field}:${queryValue(filter.value)}`;
    case 'not':
      return `NOT ${field}:${queryValue(filter.value)}`;
    case 'missing':
      return `NOT ${field}:*`;
    case 'present':
      return `${field}:*`;
    case 'range':
      return `${field}:[${boundText(filter.from)} TO ${boundText(filter.to)}}`;
  }
}

/** Date math such as `now-7d` is no text, so it is not in quotes. */
const boundText = (bound: string | undefined): string =>
  bound === undefined ? '*' : /^now[-+/\w]*$|^-?[\d.]+$/.test(bound) ? bound : queryValue(bound);

const fieldText = (field: string): string => field.replace(/[^\w.]/g, '\\$&');

const sameFilter = (a: Filter, b: Filter): boolean => clauseText(a) === clauseText(b);

/** The same filters with one more, or without it if it is among them. */
export function toggled(filters: readonly Filter[], one: Filter): readonly Filter[] {
  const others = filters.filter((filter) => !sameFilter(filter, one));
  return others.length < filters.length ? others : [...filters, one];
}

/** The same filters with this one in place of those of its kind and field. */
export function replaced(filters: readonly Filter[], one: Filter): readonly Filter[] {
  return [...filters.filter(({ kind, field }) => kind !== one.kind || field !== one.field), one];
}

const CLAUSES: readonly (readonly [Filter['kind'], RegExp])[] = [
  ['missing', /^NOT ([\w.]+):\*$/],
  ['present', /^([\w.]+):\*$/],
  ['not', /^NOT ([\w.]+):(.*)$/s],
  ['range', /^([\w.]+):\[(.*) TO (.*)\}$/s],
  ['is', /^([\w.]+):(.*)$/s],
];

/** The filters that make this query string; undefined: no filters make it. */
export function filtersOf(text: string): readonly Filter[] | undefined {
  const filters = text.split(' AND ').flatMap(filtersOfClause);
  return filterText(filters) === text ? filters : undefined;
}

function filtersOfClause(clause: string): readonly Filter[] {
  for (const [kind, pattern] of CLAUSES) {
    const [, field, first = '', second = ''] = pattern.exec(clause) ?? [];
    if (field === undefined) continue;
    if (kind === 'missing' || kind === 'present') return [{ kind, field }];
    if (kind === 'range') return [{ kind, field, ...bound('from', first), ...bound('to', second) }];
    return valuesOf(first).map((value) => ({ kind, field, value }));
  }
  return [];
}

const bound = (name: 'from' | 'to', text: string) =>
  text === '*' ? {} : { [name]: valuesOf(text)[0] ?? text };

/** The values of `a`, `"a b"` or `(a OR "b c")`. */
function valuesOf(list: string): readonly string[] {
  const found = list.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s()"]+/gs);
  return [...found]
    .filter(([word]) => word !== 'OR')
    .map(([word, quoted]) => quoted?.replace(/\\(.)/gs, '$1') ?? word);
}
