/** JSON values, as requests and responses hold them. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [k: string]: Json };

/**
 * The JSON text of a value, in which -0 is `-0`. `JSON.stringify` writes 0 for it, and is slow with
 * a function that replaces values, so it gets one only if there is a -0.
 */
export function textOfJson(value: unknown, indent?: number): string {
  const look = { left: Number.POSITIVE_INFINITY, hasNegativeZero: false };
  weigh(value, look);
  return textAfter(look, value, indent);
}

const textAfter = ({ hasNegativeZero }: Look, value: unknown, indent?: number): string =>
  JSON.stringify(value, hasNegativeZero ? exactZero : undefined, indent);

/** A replacer of `JSON.stringify`. */
export const exactZero = (_: string, value: unknown): unknown =>
  Object.is(value, -0) ? RAW.rawJSON('-0') : value;

const RAW = JSON as typeof JSON & { rawJSON(text: string): object };

/** What `weigh` finds out about a value before it is written. */
interface Look {
  /** Values, and each 64 characters of texts, that may follow. */
  left: number;
  hasNegativeZero: boolean;
}

/** False: the value has more parts than may follow. A text has no parts. */
function weigh(value: unknown, look: Look): boolean {
  look.left--;
  if (typeof value === 'string') look.left -= value.length >> 6;
  if (typeof value === 'number' && Object.is(value, -0)) look.hasNegativeZero = true;
  if (typeof value !== 'object' || value === null) return true;
  const weighPart = (part: unknown) => weigh(part, look) && look.left > 0;
  if (Array.isArray(value)) return value.every(weighPart);
  for (const name in value) {
    if (!weighPart((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}

/** Values that one step writes: about a millisecond. */
const STEP_VALUES = 4000;

/** Texts that are written, and what the present step may still write. */
interface Written {
  readonly texts: string[];
  readonly indent: number;
  left: number;
}

/**
 * The text of `textOfJson` in steps: other work may have its turn between them. A small value is
 * written in one step.
 */
export function* writingJson(value: unknown, indent = 0): Generator<void, string, undefined> {
  const written = { texts: [], indent, left: STEP_VALUES };
  yield* writeValue(value, 0, written);
  return written.texts.join('');
}

function* writeValue(value: unknown, level: number, to: Written): Generator<void, void, undefined> {
  const look = { left: STEP_VALUES, hasNegativeZero: false };
  const line = lineOf(to.indent, level);
  if (weigh(value, look)) {
    const text = textAfter(look, value, to.indent);
    // Each end of a line is one between values: texts in JSON have none.
    to.texts.push(level === 0 || line === '' ? text : text.replaceAll('\n', line));
    to.left -= STEP_VALUES - look.left;
    if (to.left > 0) return;
    to.left = STEP_VALUES;
    yield;
    return;
  }
  const isList = Array.isArray(value);
  const inner = lineOf(to.indent, level + 1);
  let open = isList ? '[' : '{';
  for (const [name, item] of Object.entries(value as object)) {
    if (!isList && item === undefined) continue;
    const named = isList ? '' : JSON.stringify(name) + (inner === '' ? ':' : ': ');
    to.texts.push(open + inner + named);
    yield* writeValue(item ?? null, level + 1, to);
    open = ',';
  }
  to.texts.push(open === '{' ? '{}' : line + (isList ? ']' : '}'));
}

const lineOf = (indent: number, level: number): string =>
  indent === 0 ? '' : `\n${' '.repeat(indent * level)}`;
