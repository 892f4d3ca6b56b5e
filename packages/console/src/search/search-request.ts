/** Requests of a search, from what the URL says and what the index has. */
import type {
  Coordinates,
  ExplainRequest,
  FieldDescription,
  IndexDescription,
  Json,
  ModeRequest,
  SearchRequest,
} from '@lakehouse-search/contract';
import type { SearchPlace } from '../place/place.ts';
import { filterText } from '../text/filter.ts';

/** Hits of a page. */
export const PAGE_HITS = 20;
/** The service takes twelve fields; eight columns of counts are more than enough to read. */
const FACET_FIELDS = 8;
const FACET_TYPES = new Set(['KEYWORD', 'BOOL', 'LONG']);
/** Hits before a page that the service counts to; further ones need the hit before the page. */
export const MOST_OFFSET = 10_000;

/**
 * Fields whose values are counted beside the hits: partitions first, then words, then numbers;
 * those of the identifier have one row each.
 */
export function facetFields({ fields, key }: IndexDescription): readonly string[] {
  const isFacet = ({ name, type, fast, sensitive }: FieldDescription) =>
    fast && FACET_TYPES.has(type) && sensitive !== true && !key.identifier.includes(name);
  const rank = ({ name, type }: FieldDescription) =>
    key.partition.includes(name) ? 0 : type === 'LONG' ? 2 : 1;
  const found = fields.filter(isFacet).sort((a, b) => rank(a) - rank(b));
  return found.slice(0, FACET_FIELDS).map(({ name }) => name);
}

/** The field that a sentence is compared with: the first that a model has made. */
export const meaningField = ({ vector_fields }: IndexDescription): string | undefined =>
  vector_fields.find(({ model }) => model !== null)?.name;

/** The documents of a place: its filters, and the syntax of its query. */
function matchOf({ filters, syntax }: SearchPlace) {
  const filter = filterText(filters);
  return { ...(syntax === undefined ? {} : { syntax }), ...(filter === '' ? {} : { filter }) };
}

/** The search of a place; undefined: a search by meaning has no text yet. */
export function modeRequest(
  place: SearchPlace,
  index: string,
  description: IndexDescription,
): ModeRequest | undefined {
  const { query, mode, sort, collapse } = place;
  const fields = facetFields(description);
  const shared: SearchRequest = {
    index,
    ...matchOf(place),
    ...(sort.length === 0 ? {} : { sort }),
    ...(collapse === undefined ? {} : { collapse }),
    limit: PAGE_HITS,
    ...pageOf(place),
    highlight: { matched: true },
    ...(fields.length === 0 ? {} : { facets: { fields } }),
    ...rowsOf(place, description),
  };
  const text = query.trim();
  if (mode === 'lexical') return { mode, request: { ...shared, query: text || '*:*' } };
  if (text === '') return undefined;
  // the service knows the only one itself
  const field = description.vector_fields.length > 1 ? meaningField(description) : undefined;
  const vector = field === undefined ? {} : { vector_field: field };
  return { mode, request: { ...shared, ...vector, query_text: text } };
}

function pageOf({ page, after }: SearchPlace): Pick<SearchRequest, 'offset' | 'search_after'> {
  const sort = after === undefined ? undefined : sortValues(after);
  if (sort !== undefined) return { search_after: sort };
  return page > 1 ? { offset: (page - 1) * PAGE_HITS } : {};
}

function sortValues(text: string): readonly Json[] | undefined {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Columns that the index does not cache are read from the table. */
function rowsOf(
  { columns = [] }: SearchPlace,
  { fields }: IndexDescription,
): Pick<SearchRequest, 'hydrate' | 'hydrate_columns'> {
  const read = fields
    .filter(({ name, cached, path }) => columns.includes(name) && !cached && path === undefined)
    .flatMap(({ source }) => source.slice(0, 1).map((column) => column.split('.')[0]));
  return read.length === 0 ? {} : { hydrate: true, hydrate_columns: [...new Set(read)] };
}

/** The same search, asked for the reasons of one row. */
export function explainRequest(
  { mode, request }: ModeRequest,
  coordinates: Coordinates,
): ExplainRequest {
  const { highlight: _, facets: __, hydrate: ___, hydrate_columns: ____, ...others } = request;
  return { ...others, coordinates, ...(mode === 'lexical' ? {} : { mode }) };
}
