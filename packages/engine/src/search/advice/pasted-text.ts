import { type Correction, meantQuery } from '../../query/bind/correction.ts';
import { findField, type QueryFields } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { quote } from '../../query/syntax/characters.ts';
import { printQuery } from '../../query/syntax/print.ts';
import { parseCidr, parseIp } from '../../schema/values/ip-value.ts';

/** Signs of the query syntax, and words that are operators. */
const SYNTAX = /["()[\]{}]|(?:^|\s)(?:[-+!]\S|(?:AND|OR|NOT)(?:\s|$))/;
const PLAIN_WORD = /^[\p{L}\p{M}\p{N}_.'-]+\*?$/u;

/** Signs of the query syntax where values have them: `1.00794(4)`, `-1, 1`. */
const IN_VALUE = /\S[([]|[)\]]\S|(?:^|,\s*)-\d/;
/** A URL with a question mark, which is a wildcard elsewhere. */
const URL_QUERY = /^\s*[a-z][a-z0-9+.-]*:\/\/[^\s"\\?]+\?[^\s"\\]*$/i;
const WRITTEN = /["\\:]|(?:^|\s)(?:AND|OR|NOT)(?:\s|$)/;

/** The text as a value; undefined: it has clauses or operators, or no text. */
export const asValue = (text: string): string | undefined =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(text) && !WRITTEN.test(text) ? quote(text.trim()) : undefined;

/** The text as a value, if it may be one whose signs are read as query syntax. */
export const pastedValue = (text: string): string | undefined =>
  URL_QUERY.test(text) ? quote(text.trim()) : IN_VALUE.test(text) ? asValue(text) : undefined;

/** Texts in single quotes. */
const SINGLE = /(?<=^|[\s:(+-])(?:'([^'"]+)'|‘([^’"]+)’)(?=$|[\s)^~])/gu;

/** The query with `"` for its single quotes, if one of their texts has several words. */
export function doubleQuoted(text: string): string | undefined {
  const isPhrase = [...text.matchAll(SINGLE)].some(([, plain, curly]) =>
    /\S\s+\S/.test(plain ?? curly),
  );
  return isPhrase
    ? text.replace(SINGLE, (_, plain?: string, curly = '') => quote(plain ?? curly))
    : undefined;
}

/**
 * The queries that a pasted text such as a line of a log was meant as, the likeliest first: its
 * text, all of its words, one of them. `clauses` stand for the parts of the text that are not in
 * `rest`. Undefined: the text is written in the query syntax.
 */
export function pastedQueries(
  text: string,
  rest: string,
  clauses: readonly string[],
  fields: QueryFields,
): readonly string[] | undefined {
  const parts = rest.split(/\s+/).map((word) => word.replace(/[:,;]+$/, ''));
  const words = parts.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0 || words.some((word) => hasField(word, fields)) || SYNTAX.test(rest))
    return undefined;
  const quoted = words.map((word) => (PLAIN_WORD.test(word) ? word : quote(word)));
  const [, phrase, star] = /^(.*?)((?<=[\p{L}\p{N}])\*)?$/su.exec(text.trim()) ?? [];
  const whole = text.includes('\\') ? [] : [quote(phrase) + (star ?? '')];
  const either = quoted.length > 1 ? [[...clauses, `(${quoted.join(' ')})`]] : [];
  const joined = [[...clauses, ...quoted], ...either, clauses].filter(({ length }) => length > 0);
  return [...whole, ...joined.map((all) => all.join(' AND '))];
}

function hasField(word: string, fields: QueryFields): boolean {
  const [name] = /^[^:]+(?=:)/.exec(word) ?? [];
  return name !== undefined && findField(fields, name) !== undefined;
}

/** IP fields that are tried. */
const IP_FIELDS = 8;

/** Whether a text is an address or a block of addresses. */
export const isAddress = (text: string): boolean =>
  parseIp(text) !== null || parseCidr(text) !== null;

/** The queries in which clauses of unknown fields such as `2001:db8::1` are values of IP fields. */
export function asAddresses(
  text: string,
  unknown: readonly Query[],
  { plans }: QueryFields,
): readonly string[] {
  const fields = [...plans.values()].filter(({ type }) => type === 'IP').slice(0, IP_FIELDS);
  return fields.flatMap(({ name: field }) => {
    const clauses = unknown.flatMap(({ span, fieldSpan }): readonly Correction[] => {
      if (span === undefined || fieldSpan === undefined) return [];
      const [from, to] = [fieldSpan.from, span.to];
      const value = text.slice(from, to);
      const clause = isAddress(value) ? printQuery({ kind: 'term', field, value }) : undefined;
      return clause === undefined ? [] : [{ from, to, text: clause, why: '' }];
    });
    return clauses.length < unknown.length ? [] : (meantQuery(text, clauses)?.query ?? []);
  });
}
