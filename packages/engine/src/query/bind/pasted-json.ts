/** The query that a pasted JSON text was meant as: a clause of ours, or one of Elasticsearch. */
import { LhsError } from '@lakehouse-search/contract';
import type { Query } from '../query.ts';
import { escapeField } from '../syntax/characters.ts';
import { printQuery } from '../syntax/print.ts';
import { readTree } from '../tree/read.ts';
import { writeTree } from '../tree/write.ts';

/** A value that has members. */
export type Members = Readonly<Record<string, unknown>>;
const isMembers = (json: unknown): json is Members =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** The JSON object that the text is; undefined: it is none. */
export function jsonOf(text: string): Members | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isMembers(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

type Parse = (text: string) => Query;

/**
 * The query string of a clause in JSON, ours or one such as `{"match": {"title": "fox"}}`;
 * undefined: no query string says it. `parse` reads the text of a `query_string`.
 */
export function jsonQuery(json: Members, parse: Parse): string | undefined {
  try {
    return printQuery(readTree(ourClause(json, parse)));
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** Our names of clauses with one field. */
const CLAUSES: Readonly<Record<string, string>> = {
  ...{ match_phrase: 'phrase', match_phrase_prefix: 'phrase_prefix', regexp: 'regex' },
};

/** The clause in the form of our tree, as far as it has one. */
function ourClause(json: unknown, parse: Parse): unknown {
  if (!isMembers(json)) return json;
  if (isMembers(json.query)) return ourClause(json.query, parse);
  const [[tag, body] = ['', null], ...others] = Object.entries(json);
  if (others.length > 0 || !isMembers(body)) return json;
  if (tag === 'bool') return { bool: ourParts(body, parse) };
  if (tag === 'query_string' && body.default_operator === undefined) return ourString(body, parse);
  const { query, fields, type = 'best_fields' } = body;
  if (tag === 'multi_match' && Array.isArray(fields) && type === 'best_fields')
    return { bool: { should: fields.map((field) => ourWords(nameOf(field), query, body)) } };
  const [[field, given] = ['', null], ...more] = Object.entries(body);
  if ('field' in body || field === '' || more.length > 0) return json;
  if (tag === 'match') return ourWords(field, textOf(given), given);
  if (tag === 'terms') return { terms: { field, values: given } };
  const keys = tag === 'range' && isMembers(given) ? given : { value: textOf(given) };
  return { [CLAUSES[tag] ?? tag]: { field, ...keys } };
}

/** The parts of a `bool`; those of `filter`, which no query string has, are under `must`. */
function ourParts({ must = [], filter = [], ...parts }: Members, parse: Parse): Members {
  const all = Object.entries({ must: [must, filter].flat(), ...parts });
  const clauses = ([name, part]: [string, unknown]) =>
    name === 'minimum_should_match'
      ? [name, part]
      : [name, [part].flat().map((clause) => ourClause(clause, parse))];
  return Object.fromEntries(all.map(clauses));
}

/** A text in query syntax, about fields that it names or about the default fields. */
function ourString({ query, default_field, fields = default_field }: Members, parse: Parse) {
  const names = fields === undefined ? [] : [fields].flat().map(nameOf);
  const texts = names.map((name) => `${escapeField(name)}:(${query})`);
  return writeTree(parse(names.length === 0 ? String(query) : texts.join(' OR ')));
}

/** The name of a field without its factor: `title^2`. */
const nameOf = (field: unknown): string => String(field).replace(/\^[\d.]+$/, '');

const textOf = (given: unknown): unknown =>
  isMembers(given) ? (given.query ?? given.value) : given;

/** The words of a `match`, which has no query string, as clauses of their own. */
function ourWords(field: string, value: unknown, given: unknown): unknown {
  const words = String(value).trim().split(/\s+/);
  const terms = words.map((word) => ({ term: { field, value: word } }));
  const isAll = isMembers(given) && String(given.operator).toLowerCase() === 'and';
  return terms.length === 1 ? terms[0] : { bool: { [isAll ? 'must' : 'should']: terms } };
}
