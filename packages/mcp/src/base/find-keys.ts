import {
  type Coordinates,
  type IndexDescription,
  type KeyPart,
  LhsError,
  type SearchResponse,
} from '@lakehouse-search/contract';
import { clauseText } from '@lakehouse-search/contract/internal';
import type { AgentContext } from './agent-backend.ts';
import { coordinatesOfText, keyText, readableKey } from './key-text.ts';

/** The key that a text means, or why it means none. */
export interface MeantKey {
  readonly key?: Coordinates;
  readonly reason?: string;
}

/** Keys that are named if a text fits several rows. */
const NAMED = 5;
/** Fields in which a value without a column is looked up. */
const FIELDS = 20;

/** The coordinates of a text that has all columns of the key, or the value of the only one. */
export function wholeKey(text: string, { key }: IndexDescription): Coordinates | undefined {
  const columns = [...key.partition, ...key.identifier];
  if (!text.includes('=')) {
    const [name] = columns;
    return columns.length === 1 ? { identifier: [{ name, value: text }] } : undefined;
  }
  const whole = coordinatesOfText(text);
  const names = new Set(whole.identifier.map(({ name }) => name));
  return names.size === columns.length && columns.every((name) => names.has(name))
    ? whole
    : undefined;
}

/**
 * The key of the only row that has the values of a text, or values that begin with them:
 * `sha=4d1a62`, `sha=4d1a62*`, `4d1a62`.
 */
export async function meantKey(
  text: string,
  index: IndexDescription,
  context: AgentContext<'search'>,
): Promise<MeantKey> {
  const parts: readonly Part[] = text.includes('=')
    ? coordinatesOfText(text).identifier
    : [{ value: text }];
  const alternatives = parts.map(({ value, ...part }) => {
    return { ...part, value: value.replace(/\*$/, ''), fields: fieldsOf(index, part) };
  });
  const unknown = alternatives.find(({ fields }) => fields.length === 0);
  if (unknown !== undefined) {
    return wholeKey(text, index) === undefined ? { reason: noField(unknown, index) } : {};
  }
  const clauses = (end: string) =>
    alternatives.map(({ fields, value }) => {
      const texts = `${escaped(value)}${end}`;
      const each = fields.map(
        ({ name, type }) => `${name}:${type === 'KEYWORD' ? texts : JSON.stringify(value)}`,
      );
      return each.length === 1 ? each[0] : `(${each.join(' OR ')})`;
    });
  const exact = await found(clauses(''), index, context);
  if (exact.total > 0) return meantBy(exact, 'have it');
  const starting = await found(clauses('*'), index, context);
  if (starting.total > 0) return meantBy(starting, 'begin with it');
  const near = (exact.clauses ?? []).filter(({ suggestion }) => suggestion !== undefined);
  return near.length === 0 ? {} : { reason: near.map(clauseText).join(', ') };
}

/** The key of a row: a whole one that the table has, or what `meantKey` finds. */
export async function keyOfRow(
  text: string,
  index: IndexDescription,
  context: AgentContext<'search' | 'getKeys'>,
): Promise<MeantKey> {
  const whole = wholeKey(text, index);
  const { backend, call } = context;
  const columns = [...index.key.partition, ...index.key.identifier];
  const read = { index: index.index, keys: whole === undefined ? [] : [whole], columns };
  const isThere = whole !== undefined && (await backend.getKeys(read, call)).rows.length > 0;
  return isThere ? { key: whole } : meantKey(text, index, context);
}

/** A value, of a column or of any. */
type Part = Pick<KeyPart, 'value'> & Partial<KeyPart>;

/**
 * The fields that have a column's values, else its words, or those of KEYWORD if no column is
 * named.
 */
function fieldsOf({ fields }: IndexDescription, { name }: Pick<Part, 'name'>) {
  const found = fields.filter(({ name: field, type, source, indexed, fast }) => {
    if (!(indexed || fast) || type === 'VECTOR') return false;
    return name === undefined ? type === 'KEYWORD' : field === name || source.includes(name);
  });
  const whole = found.filter(({ type }) => type !== 'TEXT');
  return (whole.length > 0 ? whole : found).slice(0, FIELDS);
}

function noField({ name }: Part, { key }: IndexDescription): string {
  const whole = [...key.partition, ...key.identifier].map((column) => `${column}=…`).join(',');
  const what = name === undefined ? 'no KEYWORD field' : `no field for "${name}"`;
  return `the index has ${what}: write the whole key, ${whole}`;
}

/** Random identifiers: all their starts are equally likely. */
const RANDOM_ID =
  /^(?:[0-9a-f]{32,128}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/i;
/** Digits of a start; those of the number of rows come to them. */
const START_DIGITS = 3;
const LEAST_DIGITS = 8;

/**
 * A key as a text without a citation has it: of a random identifier that is found by its start, the
 * start that with high probability no other row has: `sha=4d1a620896*`.
 */
export function shortKey(text: string, index: IndexDescription): string {
  const digits = START_DIGITS + Math.ceil(Math.log2(index.num_docs + 1) / 4);
  const parts = coordinatesOfText(text).identifier;
  const isFound = parts.every((part) =>
    fieldsOf(index, part).some(({ type }) => type === 'KEYWORD'),
  );
  if (!isFound) return readableKey(text);
  const short = parts.map(({ name, value }) => {
    if (!RANDOM_ID.test(value)) return { name, value };
    return { name, value: `${value.slice(0, Math.max(LEAST_DIGITS, digits))}*` };
  });
  return readableKey(keyText({ identifier: short }));
}

const escaped = (value: string): string => value.replace(/[^\p{L}\p{N}_]/gu, '\\$&');

type FoundRows = Pick<SearchResponse, 'hits' | 'total' | 'clauses'> & { readonly query: string };

async function found(
  clauses: readonly string[],
  { index }: IndexDescription,
  { backend, call }: AgentContext<'search'>,
): Promise<FoundRows> {
  const query = clauses.join(' AND ');
  try {
    const match = { index, query, limit: NAMED, fields: [], suggest: true };
    return { ...(await backend.search(match, call)), query };
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'invalid_query') throw error;
    // a value that its field cannot have, such as a word for a number
    return { hits: [], total: 0, query };
  }
}

function meantBy({ hits, total, query }: FoundRows, fit: string): MeantKey {
  const [first] = hits;
  if (total === 1 && first !== undefined) return { key: first.coordinates };
  const keys = hits.map(({ coordinates }) => keyText(coordinates));
  return { reason: `${total} rows ${fit} (query ${query}): did you mean ${keys.join(' or ')}?` };
}
