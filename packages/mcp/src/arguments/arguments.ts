/** The arguments of tools: one table gives their JSON Schema and their checks. */

import type { JsonObject } from '@lakehouse-search/contract';
import {
  type Check,
  list,
  object,
  oneOf,
  record,
  textUpTo,
  whole,
} from '@lakehouse-search/contract/internal';

/** An argument: what a model reads about it, and what a call is checked with. */
export interface Argument {
  readonly schema: JsonObject;
  readonly check: Check;
}

/** Arguments by name. */
export type Arguments = Readonly<Record<string, Argument>>;

/** Bytes of a text argument. */
const TEXT_BYTES = 8 * 1024;

/** A text. */
export const textArgument = (description: string): Argument => ({
  schema: { type: 'string', description },
  check: textUpTo(TEXT_BYTES),
});

/** Texts, at most so many. */
export const textsArgument = (most: number, description: string): Argument => ({
  schema: { type: 'array', items: { type: 'string' }, maxItems: most, description },
  check: list(textUpTo(TEXT_BYTES), most),
});

/** A text, or several in an array. */
export const textOrTextsArgument = (most: number, description: string): Argument => {
  const [one, several] = [textUpTo(TEXT_BYTES), list(textUpTo(TEXT_BYTES), most)];
  return {
    schema: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description,
    },
    check: (value, name) => (Array.isArray(value) ? several : one)(value, name),
  };
};

/** A whole number; `standard` is what a call without it gets, if that is always the same. */
export const wholeArgument = (
  least: number,
  most: number,
  standard: number | undefined,
  description: string,
): Argument => {
  const bounds: JsonObject = { type: 'integer', minimum: least, maximum: most };
  const schema = { ...bounds, ...(standard !== undefined && { default: standard }), description };
  return { schema, check: whole(least, most) };
};

/** One of some texts, the first by default. */
export const choiceArgument = (values: readonly string[], description: string): Argument => ({
  schema: { type: 'string', enum: values, default: values[0], description },
  check: oneOf(...values),
});

/** An object that the operation reads itself. */
export const objectArgument = (description: string): Argument => ({
  schema: { type: 'object', description },
  check: object,
});

/** The JSON Schema of arguments, without those that are hidden. */
export function inputSchema(
  all: Arguments,
  required: readonly string[],
  hidden: readonly string[] = [],
): JsonObject {
  const shown = Object.entries(all).filter(([name]) => !hidden.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The arguments of a call, checked. Throws invalid_argument, limit_exceeded. */
export function readArguments<T>(all: Arguments, required: readonly string[], value: unknown): T {
  const checks = Object.fromEntries(Object.entries(all).map(([name, { check }]) => [name, check]));
  const input = value ?? {};
  record(checks, required)(input, '');
  return input as T;
}
