import {
  type IndexDescription,
  LhsError,
  type SearchRequest,
  type SearchResponse,
} from '@lakehouse-search/contract';
import type { AgentContext } from '../../base/agent-backend.ts';
import { fieldClause, hasFieldClause } from '../../base/field-clause.ts';

/** TEXT fields that are looked into. */
const LOOKED_INTO = 4;

/** Words alone, few enough for a clause each. */
const PLAIN = /^(?!.*\b(?:AND|OR|NOT)\b)[\p{L}\p{N}]+(?:\s+[\p{L}\p{N}]+){1,7}$/u;

type Match = Pick<SearchRequest, 'query' | 'filter' | 'default_operator' | 'optional_fields'>;

/** Rows with the words of a query in any field. */
interface InAnyField {
  readonly inAnyField?: number;
}

/** Of several indexes: the rows with the words in any field, together. */
export function anyFieldNotes(
  responses: readonly (InAnyField & Pick<SearchResponse, 'total'>)[],
): readonly string[] {
  const isCounted = responses.some(({ inAnyField }) => inAnyField !== undefined);
  if (responses.length === 1 || !isCounted) return [];
  const all = responses.map(({ total, inAnyField = total }) => inAnyField);
  const sum = all.reduce((one, other) => one + other, 0);
  return [`rows with the words in any field of these indexes: ${all.join(' + ')} = ${sum}`];
}

/** A response with rows, and a note on those with the words of the query in other fields. */
export async function withOtherFields<Response extends Pick<SearchResponse, 'total' | 'notes'>>(
  response: Response,
  match: Match,
  index: IndexDescription,
  context: AgentContext,
): Promise<Response & InAnyField> {
  const { query = '' } = match;
  const isEach = match.default_operator === 'and' && PLAIN.test(query);
  const isEmpty = response.total === 0 && !isEach;
  if (isEmpty || query === '' || query.includes('*:*') || hasFieldClause(query)) return response;
  const { searched, others } = textFields(index);
  const rowsIn = async (words: string) => {
    const counts = others.map(async (name) => {
      return { name, rows: await rowsWith(fieldClause(name, `(${words})`), match, index, context) };
    });
    return (await Promise.all(counts)).filter(({ rows }) => rows > 0);
  };
  const found = await rowsIn(query);
  const words = query.split(/\s+/);
  const tried = isEach ? await rowsIn(words.join(' OR ')) : found;
  const inAny = (part: string) =>
    [part, ...tried.map(({ name }) => fieldClause(name, part))].join(' OR ');
  const any = isEach ? words.map((word) => `(${inAny(word)})`).join(' AND ') : inAny(`(${query})`);
  const all = tried.length === 0 ? 0 : await rowsWith(any, match, index, context);
  if (all <= response.total) return response;
  const listed = found.map(({ name, rows }) => `${name} ${rows}`).join(', ');
  const more = listed === '' ? '' : `; rows with them in others: ${listed}`;
  const inAll = `; ${isEach ? 'each in any field' : 'in any of them'}: query`;
  const note = `words were searched in ${searched.join(', ')}${more}${inAll}`;
  const notes = [...(response.notes ?? []), `${note} ${JSON.stringify(any)} has ${all}`];
  return { ...response, notes, inAnyField: all };
}

/** The fields that words are searched in, and other TEXT fields with other texts. */
function textFields({ fields, default_fields }: IndexDescription) {
  const searched = default_fields.map((name) => name.replace(/\^.*$/, ''));
  const texts = fields.filter(({ name, type }) => type === 'TEXT' && searched.includes(name));
  const isSearched = (column: string) => texts.some(({ source }) => source.includes(column));
  const others = fields.filter(
    ({ type, indexed, source }) => type === 'TEXT' && indexed && !source.every(isSearched),
  );
  return { searched, others: others.slice(0, LOOKED_INTO).map(({ name }) => name) };
}

/** Rows that a query finds; 0: a field cannot be searched for its words. */
async function rowsWith(
  query: string,
  { filter, default_operator, optional_fields }: Match,
  { index }: IndexDescription,
  { backend, call }: AgentContext,
): Promise<number> {
  try {
    const match = { index, query, filter, default_operator, optional_fields };
    return (await backend.search({ ...match, limit: 1, fields: [] }, call)).total;
  } catch (error) {
    if (error instanceof LhsError) return 0;
    throw error;
  }
}
