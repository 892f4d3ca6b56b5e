import { orderedFromDouble } from '../../base/arrays/ordered-double.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { keyColumns } from '../../schema/keys/key.ts';
import { yamlScalar } from '../../schema/propose/source-lines.ts';
import { parsePeriod } from '../../schema/values/date-period.ts';
import { comparedText } from '../../schema/values/folded-keyword.ts';
import { parseCidr } from '../../schema/values/ip-value.ts';
import { truthOf } from '../../schema/values/truth.ts';
import { parseFieldValue, VALUE_SHAPES } from '../../schema/values/values.ts';
import type { Bound, Query, Span } from '../query.ts';
import { escapeField, escapeWord } from '../syntax/characters.ts';
import { type ByteBound, type Clause, NONE, type NumberRange } from './clause.ts';
import { meantError } from './correction.ts';
import { changeHint, fastField, fastNames, hasValues, isFast, type QueryFields } from './fields.ts';
import { type BindScope, nodeError, type QueryText } from './scope.ts';

/** What a DATE in a query should look like, for messages. */
const DATES =
  'a date (2025, 2025-11, 2025-11-03, "2025-11-03T14:22:10Z", now-7d, 2025-11-03/d) or epoch ' +
  'microseconds';
const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

/**
 * The value of a numeric field in its column's ordered space. Throws invalid_query for a text that
 * is no such value.
 */
function orderedValue(
  plan: FieldPlan,
  value: string,
  text: QueryText,
  span: Span | undefined,
): bigint {
  const parsed = parseFieldValue(plan.type, value);
  if (parsed === null || parsed.kind === 'bytes') throw badValue(plan, value, text, span);
  return parsed.kind === 'double' ? orderedFromDouble(parsed.value) : parsed.value;
}

/**
 * The values that a text means on a numeric field, in its column's ordered space: one value, or for
 * a DATE all of a period. Throws as `orderedValue`.
 */
export function valueRange(
  plan: FieldPlan,
  value: string,
  text: QueryText,
  span: Span | undefined,
): NumberRange {
  if (plan.type !== 'DATE') {
    const ordered = orderedValue(plan, value, text, span);
    return { lower: ordered, upper: ordered };
  }
  const period = parsePeriod(value);
  if (period === null) throw badValue(plan, value, text, span);
  return { lower: period.from, upper: period.to };
}

/** The value of a KEYWORD or IP field as its dictionary holds it. */
export function byteValue(
  plan: FieldPlan,
  value: string,
  text: QueryText,
  span: Span | undefined,
): Uint8Array {
  const parsed = parseFieldValue(plan.type, comparedText(plan, value));
  if (parsed === null || parsed.kind !== 'bytes') throw badValue(plan, value, text, span);
  return parsed.value;
}

function badValue(plan: FieldPlan, value: string, text: QueryText, span: Span | undefined) {
  const message = `"${value}" is not a value of field "${plan.name}" (${plan.type})`;
  const hint = `write ${plan.type === 'DATE' ? DATES : VALUE_SHAPES[plan.type]}`;
  const error = nodeError(text, span, message, hint);
  const truth = plan.type === 'BOOL' ? truthOf(value) : undefined;
  const plain = truth ?? plainNumber(plan, value);
  if (plain === undefined || text === null || span === undefined) return error;
  const typed = text.slice(span.from, span.to);
  const clause =
    truth === undefined
      ? typed.replaceAll(NUMBER_WORDS, (part) => plainNumber(plan, part) ?? part)
      : withValue(typed, value, truth);
  return meantError(error, message, text.slice(0, span.from) + clause + text.slice(span.to));
}

/** A clause with another value. */
function withValue(clause: string, value: string, other: string): string {
  const at = clause.lastIndexOf(value);
  return clause.slice(0, at) + other + clause.slice(at + value.length);
}

/** Words of a clause that have a digit. */
const NUMBER_WORDS = /[^\s:[\]{}()<>="]*\d[^\s:[\]{}()<>="]*/g;
const FACTORS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9, bn: 1e9 };
const MARKED = /^([-+]?)[$€£¥]?([\d.,'_]*\d)(?:e\+?(\d{1,2}))?\s*(k|m|bn?)?[$€£¥%]?$/i;

/** A number of other signs, such as `$1,000`, `1e6` and `8,5`, as a value; undefined: it is none. */
function plainNumber({ type }: FieldPlan, value: string): string | undefined {
  const [, sign, digits, exponent = '0', unit = ''] = MARKED.exec(value) ?? [];
  if (digits === undefined || (type !== 'LONG' && type !== 'DOUBLE')) return undefined;
  const isGrouped = /^[1-9]\d{0,2}([,.'_]\d{3})+(?!\d)/.test(digits);
  const [separator = ''] = isGrouped ? (/[,.'_]/.exec(digits) ?? []) : [];
  const number = Number(digits.replaceAll(separator, '').replace(',', '.'));
  const plain = number * 10 ** Number(exponent) * (FACTORS[unit.toLowerCase()] ?? 1);
  const text = `${sign === '-' ? '-' : ''}${plain}`;
  return parseFieldValue(type, text) === null ? undefined : text;
}

/** A range node on a field with a column, or on a text whose whole values have one. */
export function bindRange(named: FieldPlan, node: Range, boost: number, scope: BindScope): Clause {
  const { text } = scope;
  const plan = fastField(named, scope.fields) ?? named;
  const ofNumbers = plan.type === 'KEYWORD' && hasNumbers(node);
  const retyped = ofNumbers ? numbersHint(plan, scope.fields) : '';
  requireOrder(plan, node, scope, retyped);
  if (plan.column === 'ordinal') {
    const bytes = (bound: Bound): ByteBound => ({
      bytes: byteValue(plan, bound.value, text, node.span),
      inclusive: bound.inclusive,
    });
    const lower = node.lower === undefined ? undefined : bytes(node.lower);
    const upper = node.upper === undefined ? undefined : bytes(node.upper);
    if (ofNumbers) noteTexts(plan, node, retyped, scope);
    else if (lower && upper && isEmpty(lower, upper)) noteEmpty(node, scope);
    return { kind: 'span', boost, field: plan, lower, upper };
  }
  const range = numberRange(plan, node, text);
  if (range !== null) return { kind: 'numbers', boost, field: plan, ranges: [range] };
  noteEmpty(node, scope);
  return NONE;
}

function isEmpty(lower: ByteBound, upper: ByteBound): boolean {
  const order = Buffer.compare(lower.bytes, upper.bytes);
  return order > 0 || (order === 0 && !(lower.inclusive && upper.inclusive));
}

type Range = Query & { readonly kind: 'range' };

/** Whether a query is a range of numbers on a field of texts. */
export const isTextRange = (node: Query, { plans }: QueryFields): node is Range =>
  node.kind === 'range' && plans.get(node.field)?.type === 'KEYWORD' && hasNumbers(node);

/** Whether the bounds are numbers whose order as texts may be another one: not `01000 TO 02000`. */
function hasNumbers({ lower, upper }: Range): boolean {
  const isPadded = [lower, upper].some((bound) => /^0\d/.test(bound?.value ?? ''));
  if (isPadded && lower?.value.length === upper?.value.length) return false;
  return [lower, upper].every((bound) => /^[-+]?\d+(\.\d+)?$/.test(bound?.value ?? '0'));
}

/** Notes that a range of numbers compares texts. */
function noteTexts(plan: FieldPlan, node: Range, retyped: string, { text, notes }: BindScope) {
  notes.push(comparesTexts(`the range ${shown(node, text)}`, plan, retyped));
}

/** The note that a range or a sort compares numbers as texts, with what `numbersHint` returns. */
export const comparesTexts = (what: string, { name }: FieldPlan, retyped: string): string =>
  `${what} compares texts: ${name} is a KEYWORD, in which "10" is before "9"${retyped}`;

/** How a column of texts becomes one of numbers; empty for a column of the key. */
export function numbersHint(
  { id, name }: FieldPlan,
  { source, columns, key }: QueryFields,
): string {
  const column = columns?.get(id) ?? name;
  if (key !== undefined && keyColumns(key).includes(column)) return '';
  const table = source !== undefined && 'table' in source ? ` of table "${source.table}"` : '';
  const which = 'if its values are numbers, none with leading zeros';
  return `; ${which}: import column "${column}"${table} as double`;
}

/** Notes that no value is in the range: its bounds may be the wrong way round. */
function noteEmpty(node: Range, { text, notes }: BindScope): void {
  notes.push(`the range ${shown(node, text)} is empty: no value is between its bounds`);
}

function shown({ field, lower, upper, span }: Range, text: QueryText): string {
  if (text !== null && span) return text.slice(span.from, span.to);
  return `${field}:[${lower?.value ?? '*'} TO ${upper?.value ?? '*'}]`;
}

/** A period as a lower bound begins with it or after it, as an upper bound ends with or before it. */
function numberRange(plan: FieldPlan, node: Range, text: QueryText): NumberRange | null {
  let lower = I64_MIN;
  let upper = I64_MAX;
  if (node.lower !== undefined) {
    const value = valueRange(plan, node.lower.value, text, node.span);
    if (!node.lower.inclusive && value.upper === I64_MAX) return null;
    lower = node.lower.inclusive ? value.lower : value.upper + 1n;
  }
  if (node.upper !== undefined) {
    const value = valueRange(plan, node.upper.value, text, node.span);
    if (!node.upper.inclusive && value.lower === I64_MIN) return null;
    upper = node.upper.inclusive ? value.upper : value.lower - 1n;
  }
  return lower > upper ? null : { lower, upper };
}

/** A block of addresses on an IP field. */
export function bindCidr(
  plan: FieldPlan,
  node: Query & { readonly kind: 'cidr' },
  boost: number,
  scope: BindScope,
): Clause {
  const { text } = scope;
  if (plan.type !== 'IP') {
    const message = `field "${plan.name}" is ${plan.type}: address/prefix needs an IP field`;
    throw nodeError(text, node.span, message, 'quote the value to match it as it stands');
  }
  requireValues(plan, node, scope);
  return addressBlock(plan, node, node.value, boost, text);
}

/** The addresses of `address/prefix`, on an IP field with a column. */
export function addressBlock(
  field: FieldPlan,
  node: Query,
  value: string,
  boost: number,
  text: QueryText,
): Clause {
  const block = parseCidr(value);
  if (block === null) {
    const message = `"${value}" is not a block of addresses`;
    throw nodeError(text, node.span, message, 'write 10.0.0.0/8 or 2001:db8::/32');
  }
  const lower = { bytes: block.lower, inclusive: true };
  const upper = { bytes: block.upper, inclusive: true };
  return { kind: 'span', boost, field, lower, upper };
}

/** Throws invalid_query where the field is not declared fast. */
function requireOrder(plan: FieldPlan, node: Range, scope: BindScope, more: string): void {
  const { text, fields } = scope;
  if (isFast(plan, fields)) return;
  const message = `a range needs a fast field: "${plan.name}" is ${plan.type} without fast`;
  const error = nodeError(text, node.span, message, fastHint(plan, fields) + more);
  const isText = plan.type === 'KEYWORD' && hasValues(fields, plan) && !hasNumbers(node);
  const starts = isText ? startsBetween(node) : [];
  if (starts.length === 0 || text === null || node.span === undefined) throw error;
  const values = starts.map((start) => `${escapeWord(start)}*`).join(' OR ');
  const clause = `${escapeField(node.field)}:(${values})`;
  const meant = text.slice(0, node.span.from) + clause + text.slice(node.span.to);
  throw meantError(error, message, meant, fastHint(plan, fields, ''));
}

/** The last characters that the bounds of a range of a few beginnings may differ in. */
const LASTS = /^(?:\d{2}|[a-z]{2}|[A-Z]{2})$/;

/** The texts from one bound to the other, such as `E11` and `E12`, if these differ in the end alone. */
function startsBetween({ lower, upper }: Range): readonly string[] {
  if (lower?.inclusive !== true || upper?.inclusive !== true) return [];
  const [head, first, last] = [lower.value.slice(0, -1), lower.value.at(-1), upper.value.at(-1)];
  if (upper.value.slice(0, -1) !== head || !LASTS.test(`${first}${last}`)) return [];
  const [from, to] = [lower, upper].map(({ value }) => value.charCodeAt(value.length - 1));
  const count = Math.max(0, to - from + 1);
  return Array.from({ length: count }, (_, i) => head + String.fromCharCode(from + i));
}

/** What to do about a field that is not fast; `others`: what to take instead of it. */
export function fastHint(
  plan: FieldPlan,
  fields: QueryFields,
  others = `; ${fastNames(fields)}`,
): string {
  const { index } = fields;
  if (plan.type !== 'TEXT') return changeHint(`set "fast: true" on "${plan.name}"`, index);
  const words = `no field of index "${index}" groups or sorts "${plan.name}" whole`;
  return `${words}: ${changeHint(`add ${exactField(plan, fields)}`, index)}${others}`;
}

/** The field to add that has the whole values of a text. */
function exactField({ id, name }: FieldPlan, { columns, plans }: QueryFields): string {
  const column = columns?.get(id);
  const exact = `${name}_exact`;
  if (column === undefined || plans.has(exact)) return 'a fast KEYWORD field with its source';
  const [own, source] = [exact, column].map(yamlScalar);
  return `"{ name: ${own}, source: ${source}, type: KEYWORD, folded: true, fast: true }"`;
}

/** Throws invalid_query where the values of a field without terms are not looked up. */
export function requireValues(plan: FieldPlan, node: Query, scope: BindScope): void {
  if (hasValues(scope.fields, plan)) return;
  const message = `a value needs an indexed field: "${plan.name}" is not indexed`;
  const hint = changeHint(`set "indexed: true" on "${plan.name}"`, scope.fields.index);
  throw nodeError(scope.text, node.span, message, hint);
}
