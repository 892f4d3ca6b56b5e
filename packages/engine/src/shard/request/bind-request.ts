/**
 * A request of a shard, bound to its mapping. Steps:
 *
 * 1. `query` or `ast`, and `filter`, become clauses (query/bind); without a query every document
 *    matches. Documents that were found before stand in place of `knn` clauses or of the query.
 * 2. `sort` and `collapse` become sort keys and a field with a column.
 * 3. `fields` and `highlight` become cached fields.
 */

import {
  type HighlightSpec,
  LhsError,
  type SearchRequest,
  type SortSpec,
} from '@lakehouse-search/contract';
import { type CheckedRequest, sortDirection } from '@lakehouse-search/contract/internal';
import { BY_SCORE, type SortKey } from '../../collect/order.ts';
import { bindQuery } from '../../query/bind/bind.ts';
import { fastHint } from '../../query/bind/bounds.ts';
import type { Clause } from '../../query/bind/clause.ts';
import {
  fastField,
  findField,
  type QueryFields,
  unknownFieldHint,
} from '../../query/bind/fields.ts';
import { misread } from '../../query/bind/misread.ts';
import { missingNotes, withoutMissing } from '../../query/bind/optional-fields.ts';
import { settleDates } from '../../query/bind/relative-dates.ts';
import { withSynonymRuns } from '../../query/bind/synonym-runs.ts';
import type { Query } from '../../query/query.ts';
import { parseQuery } from '../../query/syntax/parse.ts';
import { readTree } from '../../query/tree/read.ts';
import { type FieldPlan, hasTerms } from '../../schema/field-plan.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import { type RangeLeaf, soughtRanges } from '../fetch/matched-values.ts';
import { fieldMatchers } from '../fetch/matchers.ts';
import type { ShardQuery } from '../shard.ts';
import { BindingMemo } from './binding-memo.ts';
import { boundDocs, type DocsByName, docsByName } from './precomputed.ts';
import { queryFields } from './query-fields.ts';
import { readMissingPlace } from './sort-values.ts';
import { type TenantFilter, tenantFilter } from './tenant-filter.ts';
import { unknownNames } from './unknown-names.ts';

/** A request as a shard runs it. */
export interface BoundRequest {
  readonly checked: CheckedRequest;
  readonly clause: Clause;
  readonly filter: Clause | null;
  /** What every hit has to match besides. */
  readonly tenantFilter: TenantFilter | null;
  readonly order: readonly SortKey[];
  readonly collapse: FieldPlan | null;
  /** Cached fields that hits carry. */
  readonly fields: readonly MappedField[];
  /** Fields to highlight whose texts are in the index; null: highlights are not requested. */
  readonly highlight: readonly FieldPlan[] | null;
  /** Other fields whose highlights are requested: their texts are in the table. */
  readonly rowHighlight: readonly MappedField[];
  /** Ranges of the query whose values are shown: they are in the index. */
  readonly highlightRanges: readonly RangeLeaf[];
  /** What is odd in the query and the filter. */
  readonly notes: readonly string[];
}

const bound = new BindingMemo<ShardQuery, BoundRequest>();

/**
 * Binds a request, once per request object. `segmentIds`: the ids of the shard's segments by
 * number; without them precomputed documents are left out, which does for everything but running
 * the request. Throws invalid_query, invalid_argument, limit_exceeded, permission_denied.
 */
export function bindRequest(
  mapping: Mapping,
  query: ShardQuery,
  segmentIds: readonly string[] | null = null,
): BoundRequest {
  const reusable = segmentIds === null || query.precomputed === undefined;
  const known = reusable ? bound.get(mapping, query) : undefined;
  if (known !== undefined) return known;
  const as = bindNamed(mapping, query, segmentIds);
  if (reusable) bound.set(mapping, query, as);
  return as;
}

/** As `bind`; an error names all unknown fields of the request. */
function bindNamed(
  mapping: Mapping,
  query: ShardQuery,
  segmentIds: readonly string[] | null,
): BoundRequest {
  try {
    return bind(mapping, query, segmentIds);
  } catch (error) {
    const { request } = query.search;
    const trees = [readQuery(request, mapping), readFilter(request, mapping)];
    const queries = trees.filter((tree) => tree !== null);
    throw unknownNames(request, queries, queryFields(mapping), error) ?? error;
  }
}

function bind(
  mapping: Mapping,
  { search: checked, tenant, precomputed }: ShardQuery,
  segmentIds: readonly string[] | null,
): BoundRequest {
  const { request } = checked;
  const fields = queryFields(mapping);
  const order = sortOrder(request.sort, fields);
  const named = (list: Parameters<typeof docsByName>[0]) => docsByName(list, mapping, segmentIds);
  const whole = precomputed?.whole;
  const written = { ...request, optional_fields: undefined };
  const trees = () => [readQuery(written, mapping), readFilter(written, mapping) ?? []].flat();
  const notes = [...missingNotes(request.optional_fields, fields, trees)];
  const clause =
    whole === undefined
      ? bindMatching(request, mapping, named(precomputed?.query), notes)
      : ({
          kind: 'precomputed',
          boost: 1,
          precomputed: boundDocs(whole, mapping, segmentIds),
        } as const);
  const { collapse } = request;
  return {
    checked,
    clause,
    filter: bindFilter(request, mapping, named(precomputed?.filter), notes),
    tenantFilter: tenant === undefined ? null : tenantFilter(mapping, tenant),
    order,
    collapse: collapse === undefined ? null : columnField(collapse, fields, 'collapse'),
    fields: returnedFields(request.fields, mapping, fields),
    ...highlightFields(checked, mapping, fields, clause),
    notes,
  };
}

function bindMatching(
  request: SearchRequest,
  mapping: Mapping,
  given: DocsByName | undefined,
  notes: string[],
): Clause {
  const fields = queryFields(mapping, given);
  return bindQuery(readQuery(request, mapping), fields, request.query ?? null, notes);
}

/** A request's `filter`, bound; null where it has none. */
export function bindFilter(
  request: SearchRequest,
  mapping: Mapping,
  given?: DocsByName,
  notes?: string[],
): Clause | null {
  const filter = readFilter(request, mapping);
  if (filter === null) return null;
  const text = typeof request.filter === 'string' ? request.filter : null;
  return bindQuery(filter, queryFields(mapping, given), text, notes);
}

/** The filter of a request, with what it is read by. */
export function filterParts(request: SearchRequest): SearchRequest {
  const { filter, syntax, default_operator, now, optional_fields } = request;
  return { filter, syntax, default_operator, now, optional_fields };
}

/** The tree of a request's `filter`; null where it has none. */
export function readFilter(request: SearchRequest, mapping: Mapping): Query | null {
  const { filter } = request;
  if (filter === undefined) return null;
  const tree =
    typeof filter === 'string' ? parsed(filter, request, mapping, 'and') : readTree(filter);
  return settled(tree, request, mapping);
}

const trees = new BindingMemo<SearchRequest, Query>();

/**
 * The tree of a request's `query` or `ast`, read once per request object; every document where it
 * has neither.
 */
export function readQuery(request: SearchRequest, mapping: Mapping): Query {
  const known = trees.get(mapping, request);
  if (known !== undefined) return known;
  const tree = queryTree(request, mapping);
  trees.set(mapping, request, tree);
  return tree;
}

function queryTree(request: SearchRequest, mapping: Mapping): Query {
  const { query, ast } = request;
  if (ast !== undefined) return settled(readTree(ast), request, mapping);
  if (query === undefined) return { kind: 'match_all' };
  return settled(parsed(query, request, mapping, 'or'), request, mapping);
}

/** A tree without `now`, and without fields that the index may lack. */
function settled(tree: Query, { now, optional_fields }: SearchRequest, mapping: Mapping): Query {
  const fields = queryFields(mapping);
  const known = withoutMissing(tree, fields, optional_fields);
  return now === undefined ? known : settleDates(known, fields, now);
}

/** The tree of a query string, with the synonyms of words side by side. */
function parsed(
  text: string,
  request: SearchRequest,
  mapping: Mapping,
  operator: 'or' | 'and',
): Query {
  const { syntax, default_operator: defaultOperator = operator } = request;
  const { defaultFields } = mapping;
  const parse = (query: string) => parseQuery(query, { syntax, defaultFields, defaultOperator });
  try {
    return withSynonymRuns(parse(text), text, queryFields(mapping));
  } catch (error) {
    throw misread(error, text, queryFields(mapping), parse);
  }
}

function sortOrder(sort: readonly SortSpec[] | undefined, fields: QueryFields): readonly SortKey[] {
  if (sort === undefined || sort.length === 0) return BY_SCORE;
  return sort.map((spec): SortKey => {
    const desc = sortDirection(spec);
    if (spec.field === '_score' || spec.field === '_key') {
      if (spec.missing === undefined) return { kind: KINDS[spec.field], desc };
      const message = `"missing" needs a sort by a field: "${spec.field}" is never missing`;
      throw new LhsError('invalid_argument', message);
    }
    const field = columnField(spec.field, fields, 'sort');
    const missing = readMissingPlace(field, spec.missing);
    return { kind: 'field', desc, field, ...(missing === null ? {} : { missing }) };
  });
}

const KINDS = { _score: 'score', _key: 'key' } as const;

/** A field with a column, by its name or that of a text with its whole values. */
function columnField(name: string, fields: QueryFields, what: 'sort' | 'collapse'): FieldPlan {
  const field = knownField(name, fields, what);
  const fast = fastField(field, fields);
  if (fast !== undefined) return fast;
  const message = `"${what}" needs a fast field: "${name}" is ${field.type} without fast`;
  throw new LhsError('invalid_argument', message, { hint: fastHint(field, fields) });
}

function knownField(name: string, fields: QueryFields, what: string): FieldPlan {
  const found = findField(fields, name);
  if (found?.kind === 'field') return found.plan;
  const message = `"${what}" names field "${name}", which is not in index "${fields.index}"`;
  throw new LhsError('invalid_argument', message, unknownFieldHint(fields, name));
}

/** Fields whose values the index gives back. */
function cachedFields(mapping: Mapping): readonly MappedField[] {
  return mapping.fields.filter((field) => field.definition?.cached === true);
}

function returnedFields(
  names: readonly string[] | undefined,
  mapping: Mapping,
  fields: QueryFields,
): readonly MappedField[] {
  const cached = cachedFields(mapping);
  if (names === undefined) return cached;
  return names.map((name) => {
    const plan = knownField(name, fields, 'fields');
    const field = cached.find((candidate) => candidate.plan.id === plan.id);
    if (field !== undefined) return field;
    throw new LhsError('invalid_argument', `"fields" names "${name}", which is not cached`, {
      hint: 'hydrate reads any column from the table; "cached: true" keeps a copy in the index',
    });
  });
}

/**
 * TEXT and KEYWORD fields by name, what the query searches, or all cached TEXT fields. Names that
 * cannot be highlighted are left out, as the interface has it; unknown ones are refused.
 */
function highlightFields(
  checked: CheckedRequest,
  mapping: Mapping,
  fields: QueryFields,
  clause: Clause,
): Pick<BoundRequest, 'highlight' | 'rowHighlight' | 'highlightRanges'> {
  const none = { highlight: null, rowHighlight: [], highlightRanges: [] };
  if (checked.highlight === null) return none;
  const { fields: names, matched } = checked.highlight;
  const isSought = ({ plan }: MappedField) => fieldMatchers(clause, plan) !== null;
  if (matched) {
    const sought = mapping.fields.filter((field) => hasTerms(field.plan) && isSought(field));
    return { ...marksOf(sought, sought), highlightRanges: soughtRanges(clause) };
  }
  if (names === null) {
    const cached = mapping.fields.filter((field) => field.plan.type === 'TEXT' && isInIndex(field));
    return { ...none, highlight: cached.map(({ plan }) => plan) };
  }
  const ids = new Set(names.map((name) => knownField(name, fields, 'highlight.fields').id));
  const named = mapping.fields.filter(({ plan }) => ids.has(plan.id) && hasTerms(plan));
  return { ...none, ...marksOf(named, named.filter(isSought)) };
}

const marksOf = (all: readonly MappedField[], sought: readonly MappedField[]) => ({
  highlight: all.filter(isInIndex).map(({ plan }) => plan),
  rowHighlight: sought.filter(isRowText),
});

/** Whether the highlights of a request may need rows of the table. */
export function highlightsRows(mapping: Mapping, spec: HighlightSpec = {}): boolean {
  const { fields = [], matched } = spec;
  const isNamed = ({ plan }: MappedField) => matched === true || fields.includes(plan.name);
  return mapping.fields.some((field) => isNamed(field) && isRowText(field));
}

/** Whether the index has the texts of a field. */
const isInIndex = ({ plan, definition }: MappedField): boolean =>
  definition?.cached === true || plan.column !== null;

/** Whether the texts of a field are in the table alone. */
const isRowText = (field: MappedField): boolean =>
  hasTerms(field.plan) && !isInIndex(field) && field.source.kind !== 'originals';
