/**
 * Texts and JSON that come from outside. `JSON.parse` drops the first of two equal names of an
 * object, and decoders replace bytes that are not UTF-8: both would answer another request than the
 * one that was sent, so both are refused.
 */
import { LhsError } from '../errors.ts';
import { allSteps } from './all-steps.ts';

const BYTE_ORDER_MARK = '\uFEFF';
/** Keeps a byte order mark, which `jsonValue` skips. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes. `what` names them in the error. Throws invalid_argument unless UTF-8. */
export function utf8Text(bytes: Uint8Array, what: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new LhsError('invalid_argument', `${what} is not UTF-8`, { cause });
  }
}

/**
 * The value of a JSON text, which may begin with a byte order mark (RFC 8259, section 8.1). `what`
 * names the text in the error. Throws invalid_argument for a text that is not JSON, and for an
 * object that has a name twice.
 */
export const jsonValue = (text: string, what: string): unknown => allSteps(readingJson(text, what));

/** The same in steps: other work may have its turn between them. */
export function* readingJson(text: string, what: string): Generator<void, unknown, undefined> {
  const value = parsed(text, what);
  yield;
  const names = namesIn(text);
  yield;
  if (names === membersOf(value)) return value;
  const name = repeatedName(text)!;
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  throw new LhsError('invalid_argument', `${what} has the name ${shown} twice in one object`);
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new LhsError('invalid_argument', `${what} is not JSON: ${reason}`, { cause });
  }
}

const [QUOTE, COLON, BACKSLASH, OPEN, CLOSE] = [0x22, 0x3a, 0x5c, 0x7b, 0x7d];

/** Names of objects in a valid JSON text: strings before a colon. */
function namesIn(text: string): number {
  let names = 0;
  for (let i = text.indexOf('"'); i >= 0; i = text.indexOf('"', i)) {
    i = endOfString(text, i + 1) + 1;
    while (text.charCodeAt(i) <= 0x20) i++;
    if (text.charCodeAt(i) === COLON) names++;
  }
  return names;
}

/** Members of all objects of a value: fewer than its text names if a name was dropped. */
function membersOf(value: unknown): number {
  let members = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values = Array.isArray(next) ? next : Object.values(next);
    if (values !== next) members += values.length;
    for (const one of values) if (typeof one === 'object') left.push(one);
  }
  return members;
}

/** The first name that an object of a valid JSON text repeats; undefined: there is none. */
function repeatedName(text: string): string | undefined {
  const objects: Set<string>[] = [];
  let begin = 0;
  let end = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) {
      begin = i;
      end = endOfString(text, i + 1);
      i = end;
    } else if (char === COLON) {
      const name = nameOf(text, begin, end);
      const names = objects[objects.length - 1];
      if (names.has(name)) return name;
      names.add(name);
    } else if (char === OPEN) objects.push(new Set());
    else if (char === CLOSE) objects.pop();
  }
  return undefined;
}

/** The index of the quote that ends a string of JSON; -1: there is none. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** The name between two quotes: equal names may be escaped in different ways. */
function nameOf(text: string, begin: number, end: number): string {
  const name = text.slice(begin + 1, end);
  return name.includes('\\') ? (JSON.parse(text.slice(begin, end + 1)) as string) : name;
}
