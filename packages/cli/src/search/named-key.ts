import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { formatKey, parseKey } from '@lakehouse-search/engine';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { described } from './described.ts';

/** A column and a value as people write them: `id=116`, `id:116`. */
const NAMED = /^\s*([^\s:=]+)\s*[:=]\s*([^\s:=<>*?"()[\]{}~,]+)\s*$/;
/** Of other words the table would be looked through. */
const NUMBER = /^\s*\d+\s*$/;

/**
 * What a query such as `id:116` or `116` is if no field has the column of the key: the command that
 * shows the row of that key, or that there is none; undefined: the query is no key.
 */
export async function keyRemark(
  backend: BackendApi,
  index: string | undefined,
  text: string,
): Promise<string | undefined> {
  const isNamed = NAMED.test(text);
  if (!isNamed && !NUMBER.test(text)) return undefined;
  const description = await described(backend, index);
  const key = keyOf(isNamed ? text.replace(NAMED, '$1=$2') : text.trim(), description);
  if (key === undefined) return undefined;
  const [{ name }] = key.identifier;
  try {
    const request = { index: description.index, keys: [key], columns: [name] };
    const { rows } = await backend.getKeys(request);
    const written = formatKey(key);
    const get = `lhs keys get ${description.index} ${shellWord(written)}`;
    if (rows.length > 0) return `a row has the key ${written} (${get})`;
    return isNamed ? `no row has the key ${written} (${name} is no field)` : undefined;
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** The key that a text is, of an index without a field for its only column. */
function keyOf(text: string, { key, fields }: IndexDescription) {
  const [name, ...others] = [...key.partition, ...key.identifier];
  if (others.length > 0 || fields.some(({ source }) => source.includes(name))) return undefined;
  try {
    return parseKey(text, key);
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** The error of a query, with what the query is if it is a key. */
export async function withKey(
  error: LhsError,
  backend: BackendApi,
  index: string | undefined,
  text: string,
): Promise<LhsError> {
  const remark = await keyRemark(backend, index, text);
  if (remark === undefined) return error;
  const { code, message, hint = [], next, place, details } = error;
  const advice = [remark, hint].flat().join('\n');
  return new LhsError(code, message, { hint: advice, next, place, details, cause: error });
}
