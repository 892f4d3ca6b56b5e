import { LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { LANGUAGES } from './language/languages.ts';

/**
 * What an option of a tokenizer or filter may be, and its default (absent: the option
 * is required).
 */
export type OptionSpec =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly value: number }
  | { readonly kind: 'language'; readonly value?: string }
  | { readonly kind: 'words'; readonly value?: readonly string[] };
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** Checked options; the accessors know their kinds. */
export interface ComponentOptions {
  integer(name: string): number;
  text(name: string): string | undefined;
  words(name: string): readonly string[] | undefined;
}

/**
 * Checks options against their specification. Throws invalid_definition that names `what` ("filter
 * \"stop\"").
 */
export function readComponentOptions(
  what: string,
  specs: OptionSpecs,
  options: Readonly<Record<string, unknown>>,
): ComponentOptions {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(specs, name)) continue;
    const known = Object.keys(specs);
    const expected = known.length === 0 ? '; it has none' : `; known: ${known.join(', ')}`;
    throw fault(`${what} has no option "${name}"${didYouMean(name, known) || expected}`);
  }
  const values = new Map<string, unknown>();
  for (const [name, spec] of Object.entries(specs)) {
    const value = options[name];
    values.set(name, value === undefined ? spec.value : checked(what, name, spec, value));
  }
  return Object.freeze({
    integer: (name: string) => values.get(name) as number,
    text: (name: string) => values.get(name) as string | undefined,
    words: (name: string) => values.get(name) as readonly string[] | undefined,
  });
}

function checked(what: string, name: string, spec: OptionSpec, value: unknown): unknown {
  const option = `option "${name}" of ${what} is ${JSON.stringify(value)}`;
  switch (spec.kind) {
    case 'integer': {
      const number = typeof value === 'bigint' ? Number(value) : value;
      if (Number.isInteger(number) && spec.min <= Number(number) && Number(number) <= spec.max) {
        return number;
      }
      throw fault(`${option}: expected a whole number from ${spec.min} to ${spec.max}`);
    }
    case 'language':
      if (typeof value === 'string' && LANGUAGES.includes(value)) return value;
      throw fault(`${option}: expected a language${nearLanguage(value)}`);
    case 'words':
      if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value;
      throw fault(`${option}: expected a list of words`);
  }
}

/** An error of an analyzer's definition. */
export function fault(message: string): LhsError {
  return new LhsError('invalid_definition', message);
}

const nearLanguage = (value: unknown): string =>
  didYouMean(String(value), LANGUAGES) || `: ${LANGUAGES.join(', ')}`;
