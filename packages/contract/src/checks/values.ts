/**
 * Checks of values that come from outside, by name, type and range. An error names the field and
 * the expected value.
 */
import { LhsError } from '../errors.ts';
import { didYouMean } from '../nearest.ts';

/** Throws invalid_argument or limit_exceeded unless the value named `name` is as it should be. */
export type Check = (value: unknown, name: string) => void;

/** One check for each field of a request. */
export type Fields<T> = Readonly<Record<keyof T, Check>>;

/** A string. */
export const text: Check = (value, name) => {
  if (typeof value !== 'string') throw wrong(name, value, 'a string');
};
/** A string of at most so many UTF-8 bytes. */
export const textUpTo =
  (mostBytes: number): Check =>
  (value, name) => {
    text(value, name);
    // A UTF-16 unit is at most three bytes: most texts are not encoded to be measured.
    if (3 * (value as string).length <= mostBytes) return;
    const bytes = utf8Length(value as string);
    if (bytes <= mostBytes) return;
    throw new LhsError('limit_exceeded', `"${name}" has ${bytes} bytes: at most ${mostBytes}`);
  };
/** UTF-8 bytes of a text. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

/** true or false. */
export const flag: Check = (value, name) => {
  if (typeof value !== 'boolean') throw wrong(name, value, 'true or false');
};
/** An array of at most `most` such items. */
export const list =
  (item: Check, most: number): Check =>
  (value, name) => {
    if (!Array.isArray(value)) throw wrong(name, value, 'an array');
    if (value.length > most) throw tooMany(name, value.length, most);
    for (let i = 0; i < value.length; i++) item(value[i], `${name}[${i}]`);
  };
/** A whole number; above `most` the limit is named. */
export const whole =
  (least: number, most: number): Check =>
  (value, name) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least) {
      throw wrong(name, value, `a whole number from ${least} to ${most}`);
    }
    if (value > most) throw tooLarge(name, value, most);
  };
/** A number that is finite. */
export const number: Check = (value, name) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(name, value, 'a number');
};
/**
 * Whether a number of JSON may be another whole number than the one that was sent: beyond 2^53
 * `JSON.parse` rounds.
 */
export const isInexact = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
const BEYOND = 'a whole number beyond 2^53';
/** The fault of such a number, for messages. */
export const INEXACT = `is ${BEYOND}, which JSON cannot carry exactly: write it as a string`;
/** A number in a message: never other digits than those that were sent. */
export const shownNumber = (value: number): string => (isInexact(value) ? BEYOND : String(value));

/** One of these texts. */
export const oneOf =
  (...names: readonly string[]): Check =>
  (value, name) => {
    if (!names.includes(value as string)) throw wrong(name, value, names.join(' or '));
  };
/** null, or what `check` accepts. */
export const orNull =
  (check: Check): Check =>
  (value, name) => {
    if (value !== null) check(value, name);
  };
/** An object of a built-in class: a typed array, a signal. */
export const instance =
  (...classes: readonly string[]): Check =>
  (value, name) => {
    if (typeof value === 'object' && value !== null && classes.includes(className(value))) return;
    throw wrong(name, value, `of the class ${classes.join(' or ')}`);
  };
/** A function. */
export const callback: Check = (value, name) => {
  if (typeof value !== 'function') throw wrong(name, value, 'a function');
};
/** A plain object: literals, and what JSON gives. */
export const object: Check = (value, name) => {
  if (!isPlain(value)) throw wrong(name, value, 'an object');
};
/** An object of these fields and no others, the required ones among them. */
export const record =
  (fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, name) => {
    object(value, name);
    const values = value as Readonly<Record<string, unknown>>;
    for (const [key, part] of Object.entries(values)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) throw unknownField(key, name, Object.keys(fields));
      if (part !== undefined) check(part, within(name, key));
    }
    for (const key of required) {
      if (values[key] === undefined) throw wrong(within(name, key), undefined, 'a value');
    }
  };
/** A value of JSON that is no array and no object. */
export const scalar: Check = (value, name) => {
  if (value === null || ['string', 'boolean'].includes(typeof value)) return;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw wrong(name, value, 'a string, a number, true, false or null');
  }
};

/** A function that checks a whole request and returns it typed. */
export function requestOf<T>(
  fields: Fields<T>,
  ...required: readonly (keyof T & string)[]
): (request: unknown) => T {
  const check = record(fields, required);
  return (request) => {
    check(request, '');
    return request as T;
  };
}

/** As `requestOf`, of a value that has all of its fields but those that are optional. */
export function completeOf<T>(
  fields: Fields<T>,
  ...optional: readonly (keyof T & string)[]
): (value: unknown) => T {
  const names = Object.keys(fields) as (keyof T & string)[];
  return requestOf(fields, ...names.filter((name) => !optional.includes(name)));
}

/**
 * Whether a value is an object of no class: an instance may have fields that `Object.entries` does
 * not show.
 */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const within = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);

function unknownField(field: string, parent: string, known: readonly string[]): LhsError {
  const what = parent === '' ? 'request field' : `field of "${parent}"`;
  const message = `unknown ${what} "${cut(field)}"${didYouMean(field, known)}`;
  return new LhsError('invalid_argument', message, { hint: `fields: ${known.join(', ')}` });
}

/** An error about a request field with a value that does not fit. */
export function wrong(name: string, value: unknown, expected: string, hint?: string): LhsError {
  const subject = name === '' ? 'the request' : `"${name}"`;
  const message = `${subject} is ${shown(value)}: expected ${expected}`;
  return new LhsError('invalid_argument', message, { hint });
}

/** A value in an error message. It may be of any kind: cyclic, deep, or without a JSON form. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'bigint') return cut(String(value));
  if (typeof value === 'number') return shownNumber(value);
  const whole = isPlain(value) || Array.isArray(value) || typeof value !== 'object';
  if (value !== null && !whole) return `an instance of ${className(value)}`;
  try {
    return cut(JSON.stringify(value) ?? `a ${typeof value}`);
  } catch {
    return `an ${typeof value}`;
  }
}

const className = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function tooMany(name: string, count: number, most: number): LhsError {
  const message = `"${name}" has ${count} entries: at most ${most}`;
  return new LhsError('limit_exceeded', message);
}

function tooLarge(name: string, value: number, most: number): LhsError {
  const message = `"${name}" is ${shownNumber(value)}: at most ${most}`;
  const hint =
    name === 'limit' || name === 'offset'
      ? 'go further with "search_after": the "sort" of the last hit'
      : undefined;
  return new LhsError('limit_exceeded', message, { hint });
}
