/**
 * Checks of what comes over the wire, by name, type and range. Errors name the field and say what it
 * should be.
 */
import type { Json } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';

/** Throws invalid_argument or limit_exceeded unless the value named `name` is as it should be. */
export type Check = (value: unknown, name: string) => void;

/** A string. */
export const text: Check = (value, name) => {
  if (typeof value !== 'string') throw wrong(name, value, 'a string');
};
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
    value.forEach((part, i) => {
      item(part, `${name}[${i}]`);
    });
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
/** One of these texts. */
export const oneOf =
  (...names: readonly string[]): Check =>
  (value, name) => {
    if (!names.includes(value as string)) throw wrong(name, value, names.join(' or '));
  };
/** An object of these fields and no others, the required ones among them. */
export const record =
  (fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrong(name, value, 'an object');
    }
    for (const [key, part] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) throw unknownField(key, name, Object.keys(fields));
      if (part !== undefined) check(part, name === '' ? key : `${name}.${key}`);
    }
    for (const key of required) {
      if (!Object.hasOwn(value, key)) {
        throw wrong(name === '' ? key : `${name}.${key}`, undefined, 'a value');
      }
    }
  };
/** Looked at later. */
export const anything: Check = () => undefined;

function unknownField(name: string, within: string, known: readonly string[]): LhsError {
  const place = within === '' ? 'request field' : `field of "${within}"`;
  const message = `unknown ${place} "${name}"${didYouMean(name, known)}`;
  return new LhsError('invalid_argument', message, { hint: `fields: ${known.join(', ')}` });
}

/** An error about a request field with a value that does not fit. */
export function wrong(name: string, value: unknown, expected: string): LhsError {
  const shown = value === undefined ? 'missing' : shortJson(value as Json);
  const subject = name === '' ? 'the request' : `"${name}"`;
  return new LhsError('invalid_argument', `${subject} is ${shown}: expected ${expected}`);
}

function shortJson(value: Json): string {
  const whole = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? typeof value);
  return whole.length > 60 ? `${whole.slice(0, 60)}…` : whole;
}

function tooMany(name: string, count: number, most: number): LhsError {
  const message = `"${name}" has ${count} entries: at most ${most}`;
  return new LhsError('limit_exceeded', message);
}

function tooLarge(name: string, value: number, most: number): LhsError {
  const message = `"${name}" is ${value}: at most ${most}`;
  const hint =
    name === 'limit' || name === 'offset'
      ? 'go further with "search_after": the "sort" of the last hit'
      : undefined;
  return new LhsError('limit_exceeded', message, { hint });
}
