/** What single aggregations of the imitated engine are translated to. */
import type {
  AggBucket,
  AggResults,
  Json,
  JsonObject,
  QueryTree,
} from '@lakehouse-search/contract';
import { dateFormat } from '../base/date-format.ts';
import { decimalFormat } from '../base/decimal-format.ts';
import { textIn } from '../base/read-json.ts';
import type { ServedIndex } from '../base/served-index.ts';
import { findExactField, type TableField } from '../query/field-table.ts';
import { clipped, illegal, malformed, unserved } from '../query/refusal.ts';
import { emptyResults } from './empty-results.ts';
import { requireOneType } from './several-indexes.ts';

/** Values of a field that are read where the adapter orders, merges or leaves out buckets. */
export const MOST_VALUES = 10_000;

/** Our aggregations of one of theirs, and the way back. */
export interface AggPart {
  /** The prefix of `typed_keys`. */
  readonly type: string;
  /** Our aggregations by names that begin with the part's own name. */
  readonly specs: JsonObject;
  /** Its result of our results. */
  finish(results: AggResults): JsonObject;
}

/** Several aggregations of one level. */
export interface AggLevel {
  readonly specs: JsonObject;
  finish(results: AggResults): JsonObject;
}

/** One aggregation as a request has it. */
export interface AggSource {
  /** Its name in our request: letters and digits that no other one of the level begins with. */
  readonly name: string;
  readonly body: Json;
  readonly subs: AggLevel;
  readonly index: ServedIndex;
  /** Runs our aggregations over the documents of the search; `filter` restricts them. */
  run(specs: JsonObject, filter?: QueryTree): Promise<AggResults>;
  /** Runs our aggregations over all documents of the indexes of the search. */
  runOverAll(specs: JsonObject): Promise<AggResults>;
}

/** Translates an aggregation of one kind. Throws RefusedDsl. */
export type AggTranslator = (source: AggSource, kind: string) => AggPart | Promise<AggPart>;

/** An aggregation that has no others inside. */
export function requireNoSubs({ subs }: AggSource, kind: string): void {
  if (Object.keys(subs.specs).length === 0) return;
  throw illegal(`Aggregator [${kind}] cannot accept sub-aggregations`);
}

/** The field of an aggregation. Throws for one that the index does not have. */
export function aggField(json: Json | undefined, kind: string, index: ServedIndex): TableField {
  if (typeof json !== 'string') throw malformed(`[${kind}] requires [field]`);
  const field = findExactField(index.table, json);
  requireOneType(index, field?.name ?? json);
  if (field !== undefined) return field;
  if (json.startsWith('_')) throw unserved(`[${kind}] over [${clipped(json)}] is not served`);
  throw illegal(`[${kind}] field [${clipped(json)}] is no field of the index`);
}

/** Throws by name for members that the imitated engine serves and this adapter does not. */
export function refuseOptions(body: JsonObject, kind: string, names: readonly string[]): void {
  const found = names.find((name) => body[name] !== undefined);
  if (found === undefined) return;
  throw unserved(`[${kind}] with [${found}] is not served by this adapter`);
}

/** Whether documents may have several values of a field. */
export const isMultiValued = ({ description }: ServedIndex, name: string): boolean =>
  description.fields.find((field) => field.name === name)?.multi_valued === true;

/** Our spec of a bucket aggregation with the aggregations inside. */
export const withSubs = (spec: JsonObject, { specs }: AggLevel): JsonObject =>
  Object.keys(specs).length === 0 ? spec : { ...spec, aggs: specs };

/** A bucket of theirs of one of ours; one without `aggs` is empty. */
export function bucketOf(
  head: JsonObject,
  { doc_count, aggs }: Pick<AggBucket, 'doc_count' | 'aggs'>,
  subs: AggLevel,
): JsonObject {
  return { ...head, doc_count, ...subs.finish(aggs ?? emptyResults(subs.specs)) };
}

/** Our buckets of a result. */
export const bucketsOf = (results: AggResults, name: string): readonly AggBucket[] =>
  (results[name] as { readonly buckets: readonly AggBucket[] }).buckets;

/** A number of our wire, which writes large ones as texts; null stays null. */
export const wireNumber = (json: Json | undefined): number | null =>
  json === null || json === undefined ? null : Number(json);

/** Buckets as an object by name, if the request wants that. */
export function keyedBuckets(
  buckets: readonly JsonObject[],
  isKeyed: boolean,
  nameOf: (bucket: JsonObject) => string,
): Json {
  if (!isKeyed) return buckets;
  return Object.fromEntries(buckets.map((bucket) => [nameOf(bucket), bucket] as const));
}

/** How an aggregation writes values of a field as texts; undefined: it writes none. */
export type ValueFormat = (value: number | bigint) => string;

/**
 * The `format` of an aggregation over numbers or dates; of dates, values are microseconds. Throws
 * RefusedDsl.
 */
export function valueFormat(
  json: Json | undefined,
  { name, type }: TableField,
): ValueFormat | undefined {
  const text = json === undefined || json === null ? undefined : textIn(json, 'format');
  if (type === 'DATE') {
    const format = dateFormat(text);
    return (micros) => format(Number(micros), 0);
  }
  if (text === undefined) return undefined;
  if (type === 'LONG' || type === 'DOUBLE') return decimalFormat(text);
  throw illegal(`Field [${clipped(name)}] of type [${type.toLowerCase()}] takes no [format]`);
}

/** A number as Java writes a double: `5.0`, `1.0E7`. */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return '0.0';
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [digits, exponent] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}
