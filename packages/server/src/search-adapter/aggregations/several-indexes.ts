/**
 * Aggregations over several indexes: one plan over the fields of all of them, its aggregations as
 * each index can run them, and one result of the results of all.
 */
import {
  type AggBucket,
  type AggResult,
  type AggResults,
  type Json,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import type { ServedIndex } from '../base/served-index.ts';
import { isObject } from '../query/body.ts';
import { findTableField } from '../query/field-table.ts';
import { clipped, illegal, unserved } from '../query/refusal.ts';
import { translateQuery } from '../query/translate-query.ts';
import { compareValues } from '../search/compare-values.ts';
import { emptyResults } from './empty-results.ts';
import { mergeStats } from './merge-stats.ts';

/** The member of a tree whose value is a query that each index translates for itself. */
const DSL = '$dsl';

/** The tree of a query in an aggregation. Throws RefusedDsl. */
export function treeOf(dsl: Json, { table, isSeveral }: ServedIndex): JsonObject {
  const { ast } = translateQuery(dsl, table);
  return isSeveral === true ? { [DSL]: dsl } : ast;
}

/** The aggregations that an index can run: fields that it lacks have no values. */
export function specsFor(specs: JsonObject, index: ServedIndex): JsonObject {
  const entries = Object.entries(specs).flatMap(([name, spec]) => {
    const own = specFor(spec as JsonObject, index);
    return own === undefined ? [] : [[name, own] as const];
  });
  return Object.fromEntries(entries);
}

function specFor({ aggs, ...kinds }: JsonObject, index: ServedIndex): JsonObject | undefined {
  const [[kind, options]] = Object.entries(kinds);
  const inner = aggs === undefined ? {} : specsFor(aggs as JsonObject, index);
  const subs: JsonObject = Object.keys(inner).length === 0 ? {} : { aggs: inner };
  if (kind === 'filter') {
    const tree = resolved(options, index);
    return lacksField(tree, index) ? undefined : { filter: tree, ...subs };
  }
  const { field, missing } = options as JsonObject;
  if (findTableField(index.table, String(field)) !== undefined) return { [kind]: options, ...subs };
  if (kind === 'missing') return { filter: { match_all: {} }, ...subs };
  if (missing === undefined) return undefined;
  throw unserved(`[${kind}] with [missing] over indexes without [${clipped(String(field))}]`);
}

/** A tree with the queries in it translated for an index. */
function resolved(json: Json, index: ServedIndex): Json {
  if (Array.isArray(json)) return json.map((one) => resolved(one as Json, index));
  if (!isObject(json)) return json;
  if (json[DSL] !== undefined) return translateQuery(json[DSL], index.table).ast;
  const entries = Object.entries(json).map(([name, one]) => [name, resolved(one, index)] as const);
  return Object.fromEntries(entries);
}

/** Whether a tree names a field that an index lacks. */
export function lacksField(json: Json, index: ServedIndex): boolean {
  if (Array.isArray(json)) return json.some((one) => lacksField(one as Json, index));
  if (!isObject(json)) return false;
  const { field } = json;
  if (typeof field === 'string' && findTableField(index.table, field) === undefined) return true;
  return Object.values(json).some((one) => lacksField(one, index));
}

/** One result of the results of several indexes; one that no index has is empty. */
export function mergeResults(
  specs: JsonObject,
  all: readonly AggResults[],
  index: ServedIndex,
): AggResults {
  const entries = Object.entries(specs).map(([name, spec]) => {
    const found = all.flatMap((results) => (name in results ? [results[name]] : []));
    if (found.length === 0) return [name, emptyResults({ [name]: spec })[name]] as const;
    return [name, merged(spec as JsonObject, found, index)] as const;
  });
  return Object.fromEntries(entries);
}

type Bucketed = { readonly buckets: readonly AggBucket[] };
type Terms = Extract<AggResult, { readonly sum_other_doc_count: number }>;

function merged(
  { aggs, ...kinds }: JsonObject,
  found: readonly AggResult[],
  index: ServedIndex,
): AggResult {
  const [[kind, options]] = Object.entries(kinds);
  const join = (buckets: readonly Pick<AggBucket, 'doc_count' | 'aggs'>[]) =>
    joined(buckets, aggs as JsonObject | undefined, index);
  switch (kind) {
    case 'stats':
      return mergeStats(found as never, typeOf(options as JsonObject, index));
    case 'terms':
      return inKeyOrder(mergeTerms(found as readonly Terms[], join), options as JsonObject, index);
    case 'histogram':
    case 'date_histogram': {
      const buckets = byKey(found as readonly Bucketed[], join);
      return { buckets: buckets.sort((a, b) => Number(a.key) - Number(b.key)) };
    }
    case 'range': {
      const lists = (found as readonly Bucketed[]).map(({ buckets }) => buckets);
      return {
        buckets: lists[0].map((head, at) => ({ ...head, ...join(lists.map((l) => l[at])) })),
      };
    }
    case 'filter':
    case 'missing':
      return join(found as readonly Pick<AggBucket, 'doc_count' | 'aggs'>[]);
    default:
      throw new LhsError('internal', `results of "${kind}" of several indexes have no merge`);
  }
}

type Join = (
  buckets: readonly Pick<AggBucket, 'doc_count' | 'aggs'>[],
) => Pick<AggBucket, 'doc_count' | 'aggs'>;

function byKey(found: readonly Bucketed[], join: Join): AggBucket[] {
  const groups = new Map<string, AggBucket[]>();
  for (const bucket of found.flatMap(({ buckets }) => buckets)) {
    const key = JSON.stringify(bucket.key);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [bucket]);
    else group.push(bucket);
  }
  return [...groups.values()].map((group) => ({ ...group[0], ...join(group) }));
}

/** An index whose list was cut may have more documents of a value than it says. */
function mergeTerms(found: readonly Terms[], join: Join): Terms {
  const errors = found.map((one) => {
    if (one.sum_other_doc_count === 0) return 0;
    return one.buckets.reduce((least, { doc_count }) => Math.min(least, doc_count), Infinity);
  });
  return {
    buckets: byKey(found, join),
    sum_other_doc_count: found.reduce((sum, one) => sum + one.sum_other_doc_count, 0),
    doc_count_error_upper_bound: errors.reduce((sum, one) => sum + one, 0),
  };
}

/** The first values by key, if the aggregation is ordered by it. */
function inKeyOrder(terms: Terms, { order, field, size }: JsonObject, index: ServedIndex): Terms {
  const direction = isObject(order) ? order._key : undefined;
  if (direction === undefined) return terms;
  const type = typeOf({ field }, index);
  const sign = direction === 'desc' ? -1 : 1;
  const buckets = terms.buckets.toSorted((a, b) => sign * compareValues(a.key, b.key, type));
  return { ...terms, buckets: buckets.slice(0, Number(size)) };
}

/** A bucket of the buckets of several indexes. */
export function joined(
  buckets: readonly Pick<AggBucket, 'doc_count' | 'aggs'>[],
  aggs: JsonObject | undefined,
  index: ServedIndex,
): Pick<AggBucket, 'doc_count' | 'aggs'> {
  const doc_count = buckets.reduce((sum, one) => sum + one.doc_count, 0);
  if (aggs === undefined) return { doc_count };
  const inner = buckets.flatMap((one) => (one.aggs === undefined ? [] : [one.aggs]));
  return { doc_count, aggs: mergeResults(aggs, inner, index) };
}

const typeOf = ({ field }: JsonObject, { table }: ServedIndex): string =>
  findTableField(table, String(field))?.type ?? '';

const NUMBERS: ReadonlySet<string> = new Set(['LONG', 'DOUBLE']);

/** An index with the fields of all; those of different types cannot be aggregated. */
export function unionOf(indexes: readonly ServedIndex[]): ServedIndex {
  const [first] = indexes;
  const fields = new Map<string, ServedIndex['description']['fields'][number]>();
  const mixed = new Set<string>();
  for (const field of indexes.flatMap(({ description }) => description.fields)) {
    const { name, type, multi_valued } = field;
    const known = fields.get(name);
    if (known === undefined) fields.set(name, field);
    else if (known.type === type) {
      if (multi_valued) fields.set(name, { ...known, multi_valued });
    } else if (NUMBERS.has(known.type) && NUMBERS.has(type)) {
      fields.set(name, { ...known, type: 'DOUBLE' });
    } else mixed.add(name);
  }
  const own = [...fields.values()];
  return {
    name: indexes.map(({ name }) => name).join(','),
    description: { ...first.description, fields: own },
    table: {
      ...first.table,
      fields: new Map(own.map((field) => [field.name, field])),
      variants: [...new Set(indexes.flatMap(({ table }) => table.variants))],
    },
    isSeveral: true,
    mixed,
  };
}

/** Throws for a field that has different types in the indexes of a search. */
export function requireOneType({ mixed }: ServedIndex, field: string): void {
  if (mixed?.has(field) !== true) return;
  throw illegal(`[${clipped(field)}] has different types in the indexes of the search`);
}
