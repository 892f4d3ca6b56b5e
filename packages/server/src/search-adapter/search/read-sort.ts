/** `sort` in its forms, as our sort keys, and the sort values of hits. */
import type { Json, JsonObject, SortSpec } from '@lakehouse-search/contract';
import { type DateFormat, dateFormat, isoOfMicros, microsOfIso } from '../base/date-format.ts';
import { idOfTexts, type KeyColumns, textsOfId } from '../base/document-id.ts';
import { listIn, repeatedIn } from '../base/read-json.ts';
import { isObject } from '../query/body.ts';
import { readInstant } from '../query/date-instant.ts';
import { type FieldTable, findExactField, type TableField } from '../query/field-table.ts';
import { clipped, illegal, malformed, RefusedDsl, unserved } from '../query/refusal.ts';

/** One sort key of a request. */
export interface SortKey {
  /** Ours; undefined: an unknown field with `unmapped_type`, whose values are all null. */
  readonly spec: SortSpec | undefined;
  readonly kind: 'score' | 'key' | 'date' | 'value';
  readonly format: DateFormat | undefined;
  /** The format that `search_after` has its dates in. */
  readonly pattern?: string;
  /** The type of the field; undefined: no field, or an unknown one. */
  readonly type?: string;
  /** The value of documents without one; of an unknown field, of all. */
  readonly missing?: Json;
}

/** An index among the several ones of a search. */
export interface IndexMember {
  /** All indexes of the search, in the order of ties. */
  readonly names: readonly string[];
  readonly position: number;
}

/** The order of a search; `keys` empty: by relevance. */
export interface SortPlan {
  readonly keys: readonly SortKey[];
  readonly columns: KeyColumns;
  /** Hits have scores: by relevance, or `_score` is a key. */
  readonly isScored: boolean;
  /** Only of a search of several indexes: keys are shown as `index/_id`. */
  readonly member?: IndexMember;
}

/** Keys of a sort, also of fields that the index lacks: each hit shows a value of each. */
const MOST_KEYS = 32;
const KEY_NAMES: ReadonlySet<string> = new Set(['_doc', '_shard_doc', '_id']);
const OPTIONS = ['order', 'missing', 'mode', 'unmapped_type', 'format', 'numeric_type'];

/** Reads `sort`: a text, an object, or a list of them; `field:desc` in a URL. */
export function readSort(
  json: Json | undefined,
  table: FieldTable,
  member?: IndexMember,
): SortPlan {
  const keys = json === undefined ? [] : listIn(json).flatMap((one) => readOne(one, table));
  if (keys.length > MOST_KEYS) throw illegal(`more than ${MOST_KEYS} [sort] keys`);
  const isRelevance = keys.every(({ kind, spec }) => kind === 'score' && spec?.desc === true);
  const isScored = isRelevance || keys.some(({ kind }) => kind === 'score');
  const own = member === undefined ? {} : { member };
  return { keys: isRelevance ? [] : keys, columns: table.key, isScored, ...own };
}

/** `sort` of a URL: `field:desc,other`. */
export function sortOfUrl(text: string): Json {
  return text.split(',').map((part): Json => {
    const at = part.lastIndexOf(':');
    if (at < 0) return part;
    return { [part.slice(0, at)]: { order: part.slice(at + 1) } };
  });
}

function readOne(json: Json, table: FieldTable): readonly SortKey[] {
  if (typeof json === 'string') return [keyOf(json, {}, table)];
  if (!isObject(json)) {
    throw malformed('malformed sort format, within the sort array, an object, or a string');
  }
  return Object.entries(json).map(([field, value]) => {
    const options = typeof value === 'string' ? { order: value } : value;
    if (!isObject(options)) throw malformed(`[sort] malformed options of [${clipped(field)}]`);
    return keyOf(field, options, table);
  });
}

function keyOf(field: string, options: JsonObject, table: FieldTable): SortKey {
  if (field === '_script' || field === '_geo_distance') {
    throw unserved(`sort by [${field}] is not served by this adapter`);
  }
  const desc = isDescending(options.order, field);
  if (field === '_score') return { spec: { field, desc }, kind: 'score', format: undefined };
  if (KEY_NAMES.has(field)) {
    return { spec: { field: '_key', desc }, kind: 'key', format: undefined };
  }
  checkOptions(options);
  if (typeof options.missing === 'string') repeatedIn(options.missing, 'missing');
  const found = findExactField(table, field);
  if (found === undefined) {
    if (options.unmapped_type !== undefined) {
      const own = options.missing === undefined ? {} : { missing: options.missing };
      return { spec: undefined, kind: 'value', format: undefined, ...own };
    }
    throw unknownSortField(field);
  }
  const format = typeof options.format === 'string' ? dateFormat(options.format) : undefined;
  checkMode(options.mode, desc, found);
  const { type } = found;
  const missing = missingOf(options.missing, type, format);
  const spec = { field: found.name, desc, ...(missing === undefined ? {} : { missing }) };
  const pattern = typeof options.format === 'string' ? { pattern: options.format } : {};
  return { spec, kind: type === 'DATE' ? 'date' : 'value', format, type, ...pattern };
}

const MODES = ['min', 'max', 'avg', 'sum', 'median'];

/** Of several values, ours takes the lowest when it rises and the highest when it falls. */
function checkMode(mode: Json | undefined, desc: boolean, { name, multiValued }: TableField): void {
  if (mode === undefined) return;
  if (!MODES.includes(String(mode))) throw illegal(`Unknown SortMode [${clipped(String(mode))}]`);
  if (multiValued !== true || mode === (desc ? 'max' : 'min')) return;
  throw unserved(
    `sort mode [${String(mode)}] of [${name}], which has several values, is not served: ` +
      'columns are ordered by the lowest value when they rise, by the highest when they fall',
  );
}

/** Where documents without a value are, as our sort has it. A date is in milliseconds. */
function missingOf(
  json: Json | undefined,
  type: string,
  format: DateFormat | undefined,
): Json | undefined {
  if (json === undefined || json === null || json === '_last') return undefined;
  if (type !== 'DATE' || json === '_first') return json;
  if (typeof json === 'number') return isoOfMicros(json * 1000);
  if (format === undefined) return json;
  throw unserved('a sort with [missing] as a text and a [format] is not served by this adapter');
}

function isDescending(order: Json | undefined, field: string): boolean {
  if (order === undefined) return field === '_score';
  const text = String(order).toLowerCase();
  if (text === 'desc' || text === 'asc') return text === 'desc';
  throw illegal(`Unknown SortOrder [${clipped(String(order))}]`);
}

/** What our order does not have is refused by name. */
function checkOptions(options: JsonObject): void {
  for (const name of Object.keys(options)) {
    if (OPTIONS.includes(name)) continue;
    if (name === 'nested' || name === 'nested_path' || name === 'nested_filter') {
      throw unserved(`sort option [${name}] is not served by this adapter`);
    }
    throw malformed(`[field_sort] unknown field [${clipped(name)}]`);
  }
  const { numeric_type } = options;
  if (numeric_type !== undefined) {
    throw unserved('sort option [numeric_type] is not served by this adapter');
  }
}

function unknownSortField(field: string): RefusedDsl {
  const reason = `No mapping found for [${clipped(field)}] in order to sort on`;
  return new RefusedDsl({ status: 400, type: 'query_shard_exception', reason });
}

/** Our sort keys of a plan. */
export function specsOf({ keys }: SortPlan): readonly SortSpec[] {
  const known = keys.flatMap(({ spec }) => (spec === undefined ? [] : [spec]));
  return known.length === 0 && keys.length > 0 ? BY_KEY : known;
}

/** The order of an index that has none of the fields of the sort keys. */
const BY_KEY: readonly SortSpec[] = [{ field: '_key' }];

/** The value of all documents of an index that lacks the field of a key. */
export const constantValue = ({ missing }: SortKey): Json =>
  missing === undefined || missing === '_first' || missing === '_last' ? null : missing;

/** The `sort` of a hit. `withKey`: the key follows, as the tiebreak that a point in time adds. */
export function sortValues(plan: SortPlan, values: readonly Json[], withKey: boolean): Json[] {
  let at = 0;
  const own = plan.keys.map((key): Json => {
    if (key.spec === undefined) return constantValue(key);
    return sortValue(key, values[at++], plan);
  });
  return withKey ? [...own, keyValue(values[values.length - 1], plan)] : own;
}

function sortValue({ kind, format }: SortKey, value: Json, plan: SortPlan): Json {
  if (kind === 'key') return keyValue(value, plan);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (kind !== 'date' || typeof value !== 'string') return value;
  const micros = microsOfIso(value);
  if (micros === undefined) return value;
  return format === undefined ? micros / 1000 : format(micros, 0);
}

function keyValue(value: Json, plan: SortPlan): Json {
  return keyText(typeof value === 'string' ? value : idOfTexts(value as readonly string[]), plan);
}

/** An `_id` as a sort value. */
export const keyText = (id: string, { member }: SortPlan): string =>
  member === undefined ? id : `${member.names[member.position]}/${id}`;

/**
 * Our `search_after` of the one of a request: one value per sort key, and the key if it follows. A
 * `search_after` without a key goes behind all ties. `all`: every hit of the index comes after it;
 * `none`: no hit does.
 */
export function readSearchAfter(json: Json, plan: SortPlan): readonly Json[] | 'all' | 'none' {
  const given = listIn(json);
  const { keys } = plan;
  const isScoreAlone = keys.length === 0;
  const own = isScoreAlone ? 1 : keys.length;
  if (given.length !== own && given.length !== own + 1) {
    throw illegal(`search_after has ${given.length} value(s) but sort has ${own}.`);
  }
  const place = constantPlace(given, plan);
  if (place !== 0) return place > 0 ? 'all' : 'none';
  const after = isScoreAlone ? [given[0]] : [];
  for (const [at, key] of keys.entries()) {
    if (key.kind !== 'key') {
      if (key.spec !== undefined) after.push(afterValue(key, given[at]));
      continue;
    }
    const side = sideOf(given[at], plan);
    if (side !== 0 && side < 0 === key.spec!.desc) return behind(after);
    const value = side === 0 ? keyOfText(given[at], plan) : null;
    // a key has no ties: what follows it does not matter
    return [...after, value, ...keys.slice(at + 1).flatMap(nullOf), value];
  }
  return withTie(after, given.length > own ? given[own] : undefined, plan);
}

const nullOf = ({ spec, kind }: SortKey): readonly Json[] =>
  spec === undefined ? [] : [kind === 'score' ? 0 : null];

/** A `search_after` without sort keys that are keys; `tie` is undefined: behind all ties. */
function withTie(
  values: readonly Json[],
  tie: Json | undefined,
  plan: SortPlan,
): readonly Json[] | 'none' {
  const side = tie === undefined ? 1 : sideOf(tie, plan);
  if (side > 0) return behind(values);
  const key = side < 0 ? null : keyOfText(tie!, plan);
  return specsOf(plan) === BY_KEY ? [key, key] : [...values, key];
}

/** Behind all documents with these values; without values, behind all documents. */
const behind = (values: readonly Json[]) => (values.length === 0 ? 'none' : values);

/**
 * Where the hits of one index of several are if it lacks the field of a key: above 0 after the
 * given value, below 0 before it. Throws RefusedDsl for another key than the first.
 */
function constantPlace(given: readonly Json[], { keys, member }: SortPlan): number {
  const at = keys.findIndex(({ spec }) => spec === undefined);
  if (member === undefined || at < 0) return 0;
  const [constant, other] = [constantValue(keys[at]), given[at]];
  if (constant === other) return 0;
  if (at === 0 && constant === null) return keys[at].missing === '_first' ? -1 : 1;
  if (at === 0 && other === null) return -1;
  throw unserved(
    'search_after with a sort by a field that an index lacks is served for the first sort key ' +
      'without a value for [missing]',
  );
}

function afterValue({ kind, pattern, type }: SortKey, value: Json): Json {
  if (type === 'BOOL' && typeof value === 'number') return value === 1;
  if (kind !== 'date' || value === null) return value;
  if (typeof value === 'number') return isoOfMicros(Math.round(value * 1000));
  if (typeof value !== 'string') return value;
  const { first } = readInstant(value, { format: pattern, now: 0 }, 'search_after');
  return isoOfMicros(Number(first));
}

/**
 * Where the key of a sort value is: 0 among the keys of this index, else in an index before (below
 * 0) or behind (above 0) this one.
 */
function sideOf(value: Json, { member }: SortPlan): number {
  if (member === undefined) return 0;
  const position = member.names.indexOf(partsOfKey(value).index);
  if (position < 0) throw unknownKey(value);
  return position - member.position;
}

function partsOfKey(value: Json): { readonly index: string; readonly id: string } {
  const [, index, id] = /^([^/]*)\/(.*)$/s.exec(String(value)) ?? [];
  if (index === undefined) throw unknownKey(value);
  return { index, id };
}

/** The key of a sort value, as our search takes it. Throws RefusedDsl. */
function keyOfText(value: Json, { columns, member }: SortPlan): Json {
  const id = member === undefined ? String(value) : partsOfKey(value).id;
  const texts = textsOfId(id, columns);
  if (texts === undefined) throw unknownKey(value);
  return texts.length === 1 ? texts[0] : texts;
}

const unknownKey = (value: Json): RefusedDsl =>
  illegal(`search_after has no key [${clipped(String(value))}]`);
