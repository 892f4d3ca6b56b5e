/** The name of a field and a value as words of a query string: `postal code 42420`, `M31`. */
import {
  fieldNamed,
  findField,
  isTextField,
  onlyFieldWith,
  type QueryFields,
} from '../../query/bind/fields.ts';
import { escapeField, escapeWord, quote } from '../../query/syntax/characters.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { matchingTerms } from '../suggest.ts';
import { PLAIN } from './meant.ts';
import { plainNumber, withFractions } from './written-number.ts';

/** Words of a name, at most. */
const NAME_WORDS = 5;
const SYNTAX = /["()[\]{}:*?~^\\<>=]|(?:^|\s)(?:AND|OR|NOT)(?:\s|$)/;
/** Letters and digits of one word. */
const JOINED = /^(\p{L}{1,3})(\d+)$/u;

/** A field, and its name and value as they are written. */
export interface NamedValue {
  readonly field: string;
  readonly name: string;
  readonly value: string;
}

/** The field whose name a text begins with, or a number has behind it, and the rest; undefined: none. */
export function namedValue(text: string, fields: QueryFields): NamedValue | undefined {
  const words = SYNTAX.test(text) ? [] : text.trim().split(/\s+/);
  for (const named of [fieldNamed, onlyFieldWith]) {
    for (let count = Math.min(words.length - 1, NAME_WORDS); count > 0; count--) {
      const name = words.slice(0, count).join(' ');
      const field = named(fields, name);
      if (field !== undefined) return { field, name, value: words.slice(count).join(' ') };
    }
  }
  for (let count = Math.min(words.length - 1, NAME_WORDS); count > 0; count--) {
    const [value, name] = [words.slice(0, -count).join(' '), words.slice(-count).join(' ')];
    const field = fieldNamed(fields, name);
    if (field === undefined) continue;
    // a word of texts in front of the name of a text was probably meant as a word
    if (plainNumber(value) !== undefined || !isTextField(fields, field))
      return { field, name, value };
  }
  const [, name, value] = (words.length === 1 && JOINED.exec(words[0])) || [];
  const field = name === undefined ? undefined : fieldNamed(fields, name);
  return field === undefined ? undefined : { field, name, value };
}

/** A named value of one word, and the words beside it. */
export interface NamedAmong extends NamedValue {
  readonly others: readonly string[];
}

/** The word behind the name of a field without texts: that of `stage 2 water`. */
export function namedAmong(text: string, fields: QueryFields): NamedAmong | undefined {
  const words = SYNTAX.test(text) ? [] : text.trim().split(/\s+/);
  if (words.length < 3 || words.length > NAME_WORDS) return undefined;
  for (const [i, name] of words.slice(0, -1).entries()) {
    const field = fieldNamed(fields, name);
    if (field === undefined || isTextField(fields, field)) continue;
    return { field, name, value: words[i + 1], others: words.toSpliced(i, 2) };
  }
  return undefined;
}

/** The queries that a named value may be, the likeliest first. */
export async function namedClauses(
  context: SearchContext,
  { field, value }: NamedValue,
): Promise<readonly string[]> {
  const target = findField(queryFields(context.mapping), field);
  if (target === undefined) return [];
  const { type, inverted } = target.plan;
  if (type === 'LONG' || type === 'DOUBLE') {
    const numbers = new Set([plainNumber(value), plainNumber(withFractions(value))]);
    return [...numbers].flatMap((number) =>
      number && PLAIN[type]?.test(number) ? [`${escapeField(field)}:${number}`] : [],
    );
  }
  const isCode = inverted?.kind === 'keyword' && /^\d+$/.test(value);
  const padded = isCode
    ? await matchingTerms(context, new FanOut(context.shards), field, { pattern: `0*${value}` })
    : [];
  const texts = [value, ...padded].map((text) => (escapeWord(text) === text ? text : quote(text)));
  const all = type === 'TEXT' && /\s/.test(value) ? [`(${value.split(/\s+/).join(' AND ')})`] : [];
  return [...texts, ...all].map((text) => `${escapeField(field)}:${text}`);
}
