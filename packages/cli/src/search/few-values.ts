import type { FieldDescription, IndexDescription } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

/** Fields that are looked at, at most. */
const MOST_FIELDS = 24;
/** A field with as many values is worth counting, even if the index has no more rows. */
const FEW = 20;
/** A LONG with more values than these is a quantity rather than a class. */
const MOST_NUMBERS = 64;

/**
 * The fast fields whose values are worth counting, in the order of `types`. Fields with few values
 * come first, those with a single one last. Left out are key columns, fields of which nearly every
 * row has another value, and fields that cannot be counted.
 */
export async function fieldsOfFewValues(
  backend: BackendApi,
  { index, fields, key, num_docs: rows }: IndexDescription,
  types: readonly string[],
): Promise<readonly string[]> {
  const keys = new Set([...key.partition, ...key.identifier]);
  const fast = fields.filter(
    ({ name, fast: isFast, type }) => isFast && types.includes(type) && !keys.has(name),
  );
  const rankOf = ({ type }: FieldDescription) => types.indexOf(type);
  const tried = fast.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_FIELDS);
  const counts = await Promise.all(tried.map((field) => distinctValues(backend, index, field)));
  return tried
    .map((field, i) => ({ field, values: counts[i] }))
    .filter(({ field, values }) => isFew(field, values, rows))
    .sort((a, b) => rankOf(a.field) - rankOf(b.field) || order(a.values) - order(b.values))
    .map(({ field }) => field.name);
}

/** Few values come first, a single one last. */
const order = (values: number): number => (values <= 1 ? Number.MAX_VALUE : values);

/** How many values a field has; infinitely many if they cannot be counted. */
async function distinctValues(
  backend: BackendApi,
  index: string,
  { name, type }: FieldDescription,
): Promise<number> {
  if (type === 'BOOL') return 2;
  const aggs = { values: { cardinality: { field: name } } };
  const answer = await backend.aggregate({ index, query: '*:*', aggs }).catch(() => undefined);
  const counted = answer?.results.values as { value?: number } | undefined;
  return counted?.value ?? Number.POSITIVE_INFINITY;
}

const isFew = ({ type }: FieldDescription, values: number, rows: number): boolean =>
  values <= FEW || (values <= rows / 2 && (type !== 'LONG' || values <= MOST_NUMBERS));
