import {
  type IndexDescription,
  type Json,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import { isPlain, sameLetters } from '@lakehouse-search/contract/internal';
import type { AgentContext } from '../../base/agent-backend.ts';
import { fieldClause } from '../../base/field-clause.ts';
import { rowPath } from '../hits/row-paths.ts';

/** The arguments of a call that name fields. */
interface Named {
  readonly query?: string | undefined;
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly aggs?: object | undefined;
}

/** Arguments that are the name of a field. */
const NAMES = ['terms', 'histogram', 'stats', 'cardinality', 'percentiles'];

/**
 * Answers a call with the names of its fields as the indexes write them: a name that differs from
 * one field in case, blanks and signs alone is that field. Unknown names are read as the field that
 * they suggest in `fields`, and in `sort` if it is a date. The notes say so. Throws what `answer`
 * throws about other names.
 */
export async function inFieldCase<Input extends Named, Answer>(
  input: Input,
  indexes: readonly IndexDescription[],
  context: AgentContext,
  answer: (input: Input, notes: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  const notes = new Set<string>();
  const read = (name: string): string => {
    const own = meantField(name, indexes);
    if (own === undefined || own === name) return name;
    notes.add(readAs(name, own));
    return own;
  };
  const { fields, sort, aggs, ...others } = input;
  const entries = Object.entries(others).map(([name, value]) => [
    name,
    NAMES.includes(name) ? read(value) : value,
  ]);
  const isKnown = (name: string) => meantField(name, indexes) !== undefined;
  const named: string[] = [];
  for (const name of fields ?? []) {
    const near = isKnown(name) ? undefined : await suggestedField(name, indexes[0], context);
    if (!isKnown(name)) notes.add(`no field "${name}"${near ? `: "${near}" is shown` : ''}`);
    named.push(...(isKnown(name) ? [read(name)] : near === undefined ? [] : [near]));
  }
  let sorted = sort?.replace(SORTED, read);
  for (const name of (sort?.match(SORTED) ?? []).filter((one) => !isKnown(one))) {
    const near = await suggestedField(name, indexes[0], context);
    const dates = indexes[0].fields.filter(({ type, fast }) => type === 'DATE' && fast);
    if (!dates.some((date) => date.name === near)) continue;
    notes.add(`no field "${name}": dates are ${dates.map((date) => date.name).join(', ')}`);
    sorted = sorted?.replace(SORTED, (one) => (one === name ? `${near}` : one));
  }
  const call = {
    ...Object.fromEntries(entries),
    ...(named.length === 0 ? {} : { fields: named }),
    ...(sorted === undefined ? {} : { sort: sorted }),
    ...(aggs === undefined ? {} : { aggs: withTexts(aggs as Json, read, 'field') }),
  } as Input;
  return inClauseCase(call, indexes, answer, [...notes]);
}

/** Names of fields in a sort. */
const SORTED = /(?<![\p{L}\p{N}_.:])(?!_score|_key)[\p{L}_][\p{L}\p{N}_.]*/gu;

/** Aggregations with other texts; `only`: those of members with that name. */
function withTexts(value: Json, read: (text: string) => string, only?: string): Json {
  if (Array.isArray(value)) return value.map((part) => withTexts(part, read, only));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value as JsonObject).map(([name, part]): [string, Json] => {
    const isRead = typeof part === 'string' && (only ?? name) === name;
    return [name, isRead ? read(part) : withTexts(part, read, only)];
  });
  return Object.fromEntries(entries);
}

/** The same for the names in clauses, of which an error tells where they are. */
async function inClauseCase<Input extends Named, Answer>(
  input: Input,
  indexes: readonly IndexDescription[],
  answer: (input: Input, notes: readonly string[]) => Promise<Answer>,
  notes: readonly string[],
): Promise<Answer> {
  try {
    return await answer(input, notes);
  } catch (error) {
    if (!(error instanceof LhsError) || error.place === undefined) throw error;
    const { text, from, to } = error.place;
    const name = text.slice(from, to);
    // a place with a colon is a clause
    const own = name.includes(':') ? undefined : meantField(name, indexes);
    if (own === undefined || own === name) throw error;
    const { query, filter, aggs } = input;
    const rename = (one: string) =>
      one === text ? text.slice(0, from) + own + text.slice(to) : one;
    const texts = { query, filter, aggs } as JsonObject;
    const renamed = withTexts(texts, rename) as JsonObject;
    if (JSON.stringify(renamed) === JSON.stringify(texts)) throw error;
    return inClauseCase({ ...input, ...renamed }, indexes, answer, [
      ...new Set([...notes, readAs(name, own)]),
    ]);
  }
}

const readAs = (name: string, own: string): string => `"${name}" was read as field "${own}"`;

/** A field or a path with that name, or the only field of the same letters. */
export function meantField(name: string, indexes: readonly IndexDescription[]): string | undefined {
  const names = indexes.flatMap(({ fields }) => fields.map((field) => field.name));
  if (indexes.some((index) => rowPath(name, index))) return name;
  return sameLetters(name, names);
}

/** The field that an index suggests for an unknown name. */
async function suggestedField(
  name: string,
  { index }: IndexDescription,
  { backend, call }: AgentContext,
): Promise<string | undefined> {
  const query = fieldClause(name, 'x');
  const error: unknown = await backend
    .search({ index, query, limit: 1, fields: [] }, call)
    .catch((reason: unknown) => reason);
  const hint = error instanceof LhsError ? (error.hint ?? '') : '';
  return /^did you mean "([^"]+)"\?/.exec(hint)?.[1];
}
