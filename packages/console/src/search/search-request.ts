/** Requests of a search, from what the URL says and what the index has. */
import type {
  Coordinates,
  ExplainRequest,
  FieldDescription,
  IndexDescription,
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

/** Fields whose values are counted beside the hits: words first, then numbers; no keys. */
export function facetFields({ fields, key }: IndexDescription): readonly string[] {
  const keys = new Set([...key.partition, ...key.identifier]);
  const isFacet = ({ name, type, fast, sensitive }: FieldDescription) =>
    fast && FACET_TYPES.has(type) && sensitive !== true && !keys.has(name);
  const found = fields.filter(isFacet);
  const [words, numbers] = [false, true].map((isLong) =>
    found.filter(({ type }) => (type === 'LONG') === isLong),
  );
  return [...words, ...numbers].slice(0, FACET_FIELDS).map(({ name }) => name);
}

/** The field that a sentence is compared with: the first that a model has made. */
export const meaningField = ({ vector_fields }: IndexDescription): string | undefined =>
  vector_fields.find(({ model }) => model !== null)?.name;

/** The search of a place; undefined: a search by meaning has no text yet. */
export function modeRequest(
  { query, mode, syntax, chosen, sort, page }: SearchPlace,
  index: string,
  description: IndexDescription,
): ModeRequest | undefined {
  const fields = facetFields(description);
  const filter = filterText(chosen, syntax);
  const shared: SearchRequest = {
    index,
    ...(syntax === undefined ? {} : { syntax }),
    ...(filter === '' ? {} : { filter }),
    ...(sort === undefined ? {} : { sort: [sort] }),
    limit: PAGE_HITS,
    ...(page > 1 ? { offset: (page - 1) * PAGE_HITS } : {}),
    highlight: { matched: true },
    ...(fields.length === 0 ? {} : { facets: { fields } }),
  };
  const text = query.trim();
  if (mode === 'lexical') return { mode, request: { ...shared, query: text || '*:*' } };
  if (text === '') return undefined;
  // the service knows the only one itself
  const field = description.vector_fields.length > 1 ? meaningField(description) : undefined;
  const vector = field === undefined ? {} : { vector_field: field };
  return { mode, request: { ...shared, ...vector, query_text: text } };
}

/** The same search, asked for the reasons of one row. */
export function explainRequest(
  { mode, request }: ModeRequest,
  coordinates: Coordinates,
): ExplainRequest {
  const { highlight: _, facets: __, ...others } = request;
  return { ...others, coordinates, ...(mode === 'lexical' ? {} : { mode }) };
}
