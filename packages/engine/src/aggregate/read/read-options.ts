import { type Json, type JsonObject, LhsError } from '@lakehouse-search/contract';
import { didYouMean, whole, wrong } from '@lakehouse-search/contract/internal';

/** True for a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value, which is a JSON object. Throws invalid_argument if it is not. */
export function objectAt(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw wrong(path, value, 'an object');
}

/** The options of one aggregation, all of known names. Readers throw what does not fit. */
export interface AggregationOptions {
  /** Where they stand in the request, for messages. */
  readonly path: string;
  get(name: string): Json | undefined;
  /** A text that must be there. */
  text(name: string): string;
  /** A text, or undefined where it is left out. */
  maybeText(name: string): string | undefined;
  /** A whole number, or undefined where it is left out. */
  whole(name: string, least: number, most: number): number | undefined;
}

/** Reads an object of options. Throws invalid_argument for other names. */
export function readAggregationOptions(
  input: unknown,
  path: string,
  known: readonly string[],
): AggregationOptions {
  const values = objectAt(input, path);
  for (const name of Object.keys(values)) {
    if (known.includes(name)) continue;
    const message = `"${path}" has unknown option "${name}"${didYouMean(name, known)}`;
    throw new LhsError('invalid_argument', message, { hint: `options: ${known.join(', ')}` });
  }
  const get = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  const maybeText = (name: string) => {
    const value = get(name);
    if (value === undefined || typeof value === 'string') return value;
    throw wrong(`${path}.${name}`, value, 'a string');
  };
  return {
    path,
    get,
    maybeText,
    text(name) {
      const value = maybeText(name);
      if (value === undefined) throw wrong(`${path}.${name}`, undefined, 'a string');
      return value;
    },
    whole(name, least, most) {
      const value = get(name);
      if (value !== undefined) whole(least, most)(value, `${path}.${name}`);
      return value as number | undefined;
    },
  };
}
