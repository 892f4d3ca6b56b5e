import type { Backend, FieldDescription, IndexDescription } from '@lakehouse-search/contract';

/** Fields that are looked at, at most. */
const MOST_FIELDS = 24;
/** A field with as many values is worth counting, even if the index has no more rows. */
const FEW = 20;
/** A LONG with more values than these is a quantity rather than a class. */
const MOST_NUMBERS = 64;

/**
 * The fast fields whose values are worth counting, in the order of `types`: no key column, and no
 * field of which nearly every row has another value. Fields that cannot be counted are left out.
 */
export async function fieldsOfFewValues(
  backend: Backend,
  { index, fields, key, num_docs: rows }: IndexDescription,
  types: readonly string[],
): Promise<readonly string[]> {
  const keys = new Set([...key.partition, ...key.identifier]);
  const fast = fields.filter(
    ({ name, fast: isFast, type }) => isFast && types.includes(type) && !keys.has(name),
  );
  const ranked = fast.toSorted((a, b) => types.indexOf(a.type) - types.indexOf(b.type));
  const tried = ranked.slice(0, MOST_FIELDS);
  const worth = await Promise.all(tried.map((field) => hasFewValues(backend, index, field, rows)));
  return tried.filter((_, i) => worth[i]).map(({ name }) => name);
}

async function hasFewValues(
  backend: Backend,
  index: string,
  { name, type }: FieldDescription,
  rows: number,
): Promise<boolean> {
  if (type === 'BOOL') return true;
  const aggs = { values: { cardinality: { field: name } } };
  const answer = await backend.aggregate({ index, query: '*:*', aggs }).catch(() => undefined);
  const values = (answer?.results.values as { value?: number } | undefined)?.value;
  if (values === undefined) return false;
  return values <= FEW || (values <= rows / 2 && (type !== 'LONG' || values <= MOST_NUMBERS));
}
