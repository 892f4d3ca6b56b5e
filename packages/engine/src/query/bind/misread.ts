/** What a query string that cannot be parsed was meant as: conditions of SQL, ranges, JSON. */
import { LhsError } from '@lakehouse-search/contract';
import type { Query } from '../query.ts';
import { escapeWord, quote } from '../syntax/characters.ts';
import { bindQuery } from './bind.ts';
import { type MeantQuery, meantError, meantQuery } from './correction.ts';
import { ended } from './ended.ts';
import type { QueryFields } from './fields.ts';
import { jsonOf, jsonQuery } from './pasted-json.ts';
import { unknownCondition } from './unknown-condition.ts';
import { noClause, writtenConditions } from './written-conditions.ts';

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
      : { why: 'JSON is no query string', query: jsonQuery(json, parse) };
  const { why, query } = meant ?? {};
  const fault = query === undefined ? error : faultOf(query, error);
  if (fault === undefined && query !== undefined) return meantError(error, why ?? '', query);
  const { code, place } = error;
  if (json !== undefined)
    return new LhsError(code, why ?? '', { hint: NO_JSON, place, cause: error });
  const unknown = unknownCondition(error, text, fields);
  if (unknown !== undefined) return unknown;
  const quoted = [...ended(text), ...quotedWords(error), ...withoutCommas(text)].find(
    (one) => faultOf(one, error) === undefined,
  );
  if (quoted !== undefined) return meantError(error, error.message, quoted, error.hint);
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

const NO_JSON = 'write clauses such as title:fox; a query tree goes into "ast" of a request';

/** The query with blanks for the commas behind its texts in quotes: a line of a CSV file. */
function withoutCommas(text: string): readonly string[] {
  const query = text.replace(/("(?:[^"\\]|\\.)*")\s*[,;]\s*/gs, '$1 ').trimEnd();
  return query === text ? [] : [query];
}

/**
 * The query with the word or value in quotes that has the error in it: `252~deb12u1`. The beginning
 * of a value, `/p/1*`, is a phrase of a TEXT field or a value of another one.
 */
function quotedWords({ place }: LhsError): readonly string[] {
  if (place === undefined) return [];
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
  if (value === undefined || from < end - value.length || to > end) return [];
  const [, prefix] = /^([^*?]+)\*$/.exec(value) ?? [];
  const values =
    prefix === undefined ? [quote(value)] : [`${quote(prefix)}*`, `${escapeWord(prefix)}*`];
  return values.map((one) => text.slice(0, start) + field + one + text.slice(end));
}
