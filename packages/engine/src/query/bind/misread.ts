/** What a query string that cannot be parsed was meant as: conditions of SQL, ranges, JSON. */
import { LhsError } from '@lakehouse-search/contract';
import type { Query } from '../query.ts';
import { quote } from '../syntax/characters.ts';
import { printQuery } from '../syntax/print.ts';
import { readTree } from '../tree/read.ts';
import { bindQuery } from './bind.ts';
import { type MeantQuery, meantError, meantQuery } from './correction.ts';
import type { QueryFields } from './fields.ts';
import { unknownCondition } from './unknown-condition.ts';
import { writtenConditions } from './written-conditions.ts';

/**
 * Returns the error of a text that cannot be parsed, with the query that it was probably meant as
 * if that one can be parsed and bound.
 */
export function misread(
  error: unknown,
  text: string,
  fields: QueryFields,
  parse: (text: string) => Query,
): unknown {
  if (!(error instanceof LhsError) || error.code !== 'invalid_query') return error;
  const json = jsonOf(text);
  const meant: Partial<MeantQuery> | undefined =
    json === undefined
      ? meantQuery(text, writtenConditions(text, fields, noClause))
      : { why: 'JSON is no query string', query: jsonQuery(json) };
  const { why, query } = meant ?? {};
  const fault = query === undefined ? error : faultOf(query, error);
  if (fault === undefined && query !== undefined) return meantError(error, why ?? '', query);
  const { code, place } = error;
  if (json !== undefined)
    return new LhsError(code, why ?? '', { hint: NO_JSON, place, cause: error });
  const unknown = unknownCondition(error, text, fields);
  if (unknown !== undefined) return unknown;
  const quoted = quotedWord(error);
  if (quoted !== undefined && faultOf(quoted, error) === undefined)
    return meantError(error, error.message, quoted, error.hint);
  const { message, hint, details } = fault ?? error;
  return new LhsError(code, message, { hint, details, place, cause: error });

  /** Why a query fails; `unread`: if it cannot be parsed. */
  function faultOf(query: string, unread: LhsError): LhsError | undefined {
    let tree: Query | undefined;
    try {
      tree = parse(query);
      bindQuery(tree, fields, query);
      return undefined;
    } catch (fault) {
      if (!(fault instanceof LhsError)) throw fault;
      return tree === undefined ? unread : fault;
    }
  }
}

const noClause = (part: string): string => `"${part}" is no clause of the query syntax`;

const NO_JSON = 'write clauses such as title:fox; a query tree goes into "ast" of a request';

/** The query with the word or value in quotes that has the error in it: `252~deb12u1`. */
function quotedWord({ place }: LhsError): string | undefined {
  if (place === undefined) return undefined;
  const { text, from, to } = place;
  const start =
    from -
    (text
      .slice(0, from)
      .split(/[\s"()]/)
      .at(-1)?.length ?? 0);
  const [word] = text.slice(start).split(/[\s"()]/, 1);
  const [, field = '', value] = /^([+-]?(?:[^:]+:|(?!.*:)))([\p{L}\p{N}/].*)$/u.exec(word) ?? [];
  const end = start + word.length;
  if (value === undefined || from < end - value.length || to > end) return undefined;
  return text.slice(0, start) + field + quote(value) + text.slice(end);
}

/** A value that has members. */
type Members = Readonly<Record<string, unknown>>;
const isMembers = (json: unknown): json is Members =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** The JSON object that the text is; undefined: it is none. */
function jsonOf(text: string): Members | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isMembers(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** The query string of a clause in JSON, ours or one such as `{"match": {"title": "fox"}}`. */
function jsonQuery(json: Members): string | undefined {
  try {
    return printQuery(readTree(ourClause(json)));
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
function ourClause(json: unknown): unknown {
  if (!isMembers(json)) return json;
  if (isMembers(json.query)) return ourClause(json.query);
  const [[tag, body] = ['', null], ...others] = Object.entries(json);
  if (others.length > 0 || !isMembers(body)) return json;
  if (tag === 'bool') return { bool: Object.fromEntries(Object.entries(body).map(ourParts)) };
  const [[field, given] = ['', null], ...more] = Object.entries(body);
  if ('field' in body || field === '' || more.length > 0) return json;
  if (tag === 'match') return ourWords(field, textOf(given), given);
  if (tag === 'terms') return { terms: { field, values: given } };
  const keys = tag === 'range' && isMembers(given) ? given : { value: textOf(given) };
  return { [CLAUSES[tag] ?? tag]: { field, ...keys } };
}

function ourParts([name, parts]: [string, unknown]): [string, unknown] {
  if (name === 'minimum_should_match') return [name, parts];
  return [name, [parts].flat().map(ourClause)];
}

const textOf = (given: unknown): unknown =>
  isMembers(given) ? (given.query ?? given.value) : given;

/** The words of a `match`, which has no query string, as clauses of their own. */
function ourWords(field: string, value: unknown, given: unknown): unknown {
  const words = String(value).trim().split(/\s+/);
  const terms = words.map((word) => ({ term: { field, value: word } }));
  const isAll = isMembers(given) && String(given.operator).toLowerCase() === 'and';
  return terms.length === 1 ? terms[0] : { bool: { [isAll ? 'must' : 'should']: terms } };
}
