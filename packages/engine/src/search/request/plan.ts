/**
 * A checked request bound to an index. Steps:
 *
 * 1. `query` or `ast`, and `filter`, become clauses (query/bind); without a query every document
 *    matches.
 * 2. `sort`, `search_after` and `collapse` become sort keys, values and a field with a column.
 * 3. `fields` and `highlight` become cached fields.
 */
import type { SearchRequest, SortSpec } from '@lakehouse-search/contract';
import { type CheckedRequest, LhsError, sortDirection } from '@lakehouse-search/contract';
import { BY_SCORE, type SearchAfter, type SortKey } from '../../collect/order.ts';
import { bindQuery } from '../../query/bind/bind.ts';
import { fastHint } from '../../query/bind/bounds.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { findField, type QueryFields, unknownFieldHint } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { parseQuery } from '../../query/syntax/parse.ts';
import { readTree } from '../../query/tree/read.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import { readSearchAfter } from '../fetch/sort-values.ts';
import { declaredPaths } from './declared-paths.ts';

/** All that a search does, decided. */
export interface SearchPlan {
  readonly checked: CheckedRequest;
  readonly clause: Clause;
  readonly filter: Clause | null;
  readonly order: readonly SortKey[];
  /** Hits carry their sort values. */
  readonly showSort: boolean;
  readonly after: SearchAfter | null;
  readonly collapse: FieldPlan | null;
  /** Cached fields that hits carry. */
  readonly fields: readonly MappedField[];
  /** Cached TEXT fields that may be highlighted; null: not asked. */
  readonly highlight: readonly FieldPlan[] | null;
}

const fieldsOfMapping = new WeakMap<Mapping, QueryFields>();

/** The fields of a mapping as queries see them. */
export function queryFields(mapping: Mapping, given?: QueryFields['given']): QueryFields {
  let fields = fieldsOfMapping.get(mapping);
  if (fields === undefined) fieldsOfMapping.set(mapping, (fields = readFields(mapping)));
  return given === undefined ? fields : { ...fields, given };
}

function readFields(mapping: Mapping): QueryFields {
  const plans = new Map(mapping.fields.map((field) => [field.plan.name, field.plan]));
  const fast = mapping.fields.filter((field) => field.definition?.fast === true);
  const ids = new Set(fast.map((field) => field.plan.id));
  const without = mapping.fields.filter((field) => field.definition?.indexed === false);
  const unindexed = new Set(without.map((field) => field.plan.id));
  const declared = declaredPaths(mapping);
  return { index: mapping.definition.index, plans, fast: ids, unindexed, declared };
}

/** The documents of `knn` nodes by what they ask for, found before binding (search/meaning). */
export interface GivenByNode {
  readonly query?: QueryFields['given'];
  readonly filter?: QueryFields['given'];
}

/** Binds a request. Throws invalid_query, invalid_argument or limit_exceeded. */
export function planSearch(
  checked: CheckedRequest,
  mapping: Mapping,
  given: GivenByNode = {},
): SearchPlan {
  const { request } = checked;
  const fields = queryFields(mapping);
  const order = sortOrder(request.sort, fields);
  const { search_after: after, collapse } = request;
  return {
    checked,
    ...planQuery(request, mapping, given),
    order,
    showSort: request.sort !== undefined || after !== undefined || request.pit_id !== undefined,
    after: after === undefined ? null : readSearchAfter(after, order, mapping.key),
    collapse: collapse === undefined ? null : columnField(collapse, fields, 'collapse'),
    fields: returnedFields(request.fields, mapping, fields),
    highlight: highlightFields(checked, mapping, fields),
  };
}

/** The query and the filter of a request, bound. */
function planQuery(
  request: SearchRequest,
  mapping: Mapping,
  given: GivenByNode,
): { readonly clause: Clause; readonly filter: Clause | null } {
  const fields = queryFields(mapping, given.query);
  const clause = bindQuery(readQuery(request, mapping), fields, request.query ?? null);
  return { clause, filter: bindFilter(request, mapping, given.filter) };
}

/** A request's `filter`, bound; null where it has none. */
export function bindFilter(
  request: SearchRequest,
  mapping: Mapping,
  given?: QueryFields['given'],
): Clause | null {
  const filter = readFilter(request, mapping);
  if (filter === null) return null;
  const text = typeof request.filter === 'string' ? request.filter : null;
  return bindQuery(filter, queryFields(mapping, given), text);
}

/** The tree of a request's `filter`; null where it has none. */
export function readFilter(request: SearchRequest, mapping: Mapping): Query | null {
  const { filter } = request;
  if (filter === undefined) return null;
  if (typeof filter !== 'string') return readTree(filter);
  return parseQuery(filter, parseOptions(request, mapping));
}

/** The tree of a request's `query` or `ast`; every document where it has neither. */
export function readQuery(request: SearchRequest, mapping: Mapping): Query {
  if (request.ast !== undefined) return readTree(request.ast);
  if (request.query === undefined) return { kind: 'match_all' };
  return parseQuery(request.query, parseOptions(request, mapping));
}

function parseOptions(request: SearchRequest, mapping: Mapping) {
  return {
    syntax: request.syntax,
    defaultField: mapping.defaultField ?? undefined,
    defaultOperator: request.default_operator,
  };
}

function sortOrder(sort: readonly SortSpec[] | undefined, fields: QueryFields): readonly SortKey[] {
  if (sort === undefined || sort.length === 0) return BY_SCORE;
  return sort.map((spec): SortKey => {
    const desc = sortDirection(spec);
    if (spec.field === '_score') return { kind: 'score', desc };
    if (spec.field === '_key') return { kind: 'key', desc };
    return { kind: 'field', desc, field: columnField(spec.field, fields, 'sort') };
  });
}

/** A field with a column, by name. */
function columnField(name: string, fields: QueryFields, what: 'sort' | 'collapse'): FieldPlan {
  const field = knownField(name, fields, what);
  if (field.column !== null && fields.fast.has(field.id)) return field;
  const message = `"${what}" needs a fast field: "${name}" is ${field.type} without fast`;
  throw new LhsError('invalid_argument', message, { hint: fastHint(field, fields.index) });
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
 * Names that cannot be highlighted are left out, as the interface has it; unknown ones are refused.
 */
function highlightFields(
  checked: CheckedRequest,
  mapping: Mapping,
  fields: QueryFields,
): readonly FieldPlan[] | null {
  if (checked.highlight === null) return null;
  const texts = cachedFields(mapping)
    .map((field) => field.plan)
    .filter((plan) => plan.inverted?.kind === 'text');
  const { fields: names } = checked.highlight;
  if (names === null) return texts;
  const asked = new Set(names.map((name) => knownField(name, fields, 'highlight.fields').id));
  return texts.filter((plan) => asked.has(plan.id));
}
