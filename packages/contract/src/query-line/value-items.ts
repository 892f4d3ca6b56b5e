import type { BackendApi } from '../backend.ts';
import type { FieldDescription } from '../indexes/response.ts';
import { type CompletionItem, type CompletionPlace, queryValue } from './completion.ts';

/** What knows the values of fields. */
export type ValueSource = Pick<BackendApi, 'suggest' | 'facets'>;

/** The index that a line is for. */
export interface CompletedIndex {
  readonly name: string;
  readonly fields: readonly FieldDescription[];
}

const MOST_ITEMS = 12;

/** Values of the field, or words of the default field, with the typed prefix; none on an error. */
export async function valueItems(
  backend: ValueSource,
  index: CompletedIndex,
  place: CompletionPlace,
): Promise<readonly CompletionItem[]> {
  const field = place.field ?? index.fields.find((f) => f.type === 'TEXT')?.name;
  if (field === undefined || (place.field === undefined && place.typed.length < 2)) return [];
  const type = index.fields.find((f) => f.name === field)?.type;
  if (type === 'BOOL') return truths(place.typed);
  if (type !== undefined && COUNTED.includes(type)) return countedItems(backend, index, place);
  const request = { index: index.name, field, text: place.typed, limit: MOST_ITEMS };
  const answer = await backend.suggest(request).catch(() => undefined);
  return (answer?.suggestions ?? []).map(({ text, doc_count }) => ({
    label: text,
    insert: queryValue(text),
    count: doc_count,
  }));
}

/** Types without a dictionary; their values are counted. */
const COUNTED = ['LONG', 'DOUBLE', 'IP'];

/** The most frequent values of the field with the typed prefix. */
async function countedItems(
  backend: ValueSource,
  { name: index }: CompletedIndex,
  { field = '', typed }: CompletionPlace,
): Promise<readonly CompletionItem[]> {
  const request = { index, query: '*:*', fields: [field], size: 100 };
  const answer = await backend.facets(request).catch(() => undefined);
  return (answer?.facets[0]?.buckets ?? [])
    .filter(({ value }) => value.startsWith(typed))
    .slice(0, MOST_ITEMS)
    .map(({ value, count }) => ({ label: value, insert: queryValue(value), count }));
}

/** A BOOL field has no dictionary to ask. */
function truths(typed: string): CompletionItem[] {
  return ['true', 'false']
    .filter((value) => value.startsWith(typed))
    .map((value) => ({ label: value, insert: value }));
}
