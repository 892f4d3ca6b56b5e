/**
 * Rows of a JSON text that is one object: the elements of an array in it, or one row per key.
 * Without a choice of the caller, such a text has
 *
 * | the object                                                        | rows                    |
 * |-------------------------------------------------------------------|-------------------------|
 * | GeoJSON with `features`                                           | the features            |
 * | has one array of objects, of two or more                          | the elements of it      |
 * | has ten or more members, all of them objects                      | its members, with `key` |
 * | anything else                                                     | itself                  |
 */
import { stat } from 'node:fs/promises';
import { LakeError } from '../../base/errors.ts';
import { inputBytes } from '../input-bytes.ts';
import type { InputFile } from '../input-files.ts';
import { LARGE_ROW } from '../sql-fault.ts';
import { type JsonMember, JsonMembers } from './json-members.ts';
import { writeLines } from './write-lines.ts';

/** Where the rows of a JSON text are: the members of the object or array at a path of keys. */
export interface JsonRows {
  /** Empty: the whole text. */
  readonly path: readonly string[];
  readonly isGuess: boolean;
}

const LEAST_KEYS = 10;
const LEAST_ELEMENTS = 2;

/** Where the rows of a text are; null if its values are the rows. */
export async function findJsonRows(
  file: InputFile,
  signal?: AbortSignal,
): Promise<JsonRows | null> {
  const members = new JsonMembers([], false);
  const found: JsonMember[] = [];
  for await (const bytes of inputBytes(file)) {
    signal?.throwIfAborted();
    for (const member of members.push(bytes)) found.push(member);
    if (members.roots > 1 || members.isArray === true) return null;
  }
  const lists = found.filter(
    ({ kind, objects, others }) => kind === 'array' && objects >= LEAST_ELEMENTS && others === 0,
  );
  const features = found.find(({ key, kind }) => key === '"features"' && kind === 'array');
  const list = features ?? (lists.length === 1 ? lists[0] : undefined);
  if (list !== undefined) return { path: [JSON.parse(list.key ?? '""')], isGuess: true };
  const areRows = found.length >= LEAST_KEYS && found.every(({ kind }) => kind === 'object');
  return areRows ? { path: [], isGuess: true } : null;
}

/**
 * Writes the rows as NDJSON. Throws invalid_argument if there is nothing at the path, the text is
 * not JSON, or a row is larger than DuckDB reads.
 */
export async function writeJsonRows(
  file: InputFile,
  { path }: JsonRows,
  to: string,
  signal?: AbortSignal,
): Promise<InputFile> {
  const keyName = await freeKeyName(file, path);
  const members = await writeMembers(file, new JsonMembers(path, true), keyName, to, signal);
  if (members.isArray === null) throw refuse(file, `no object or array at "${path.join('.')}"`);
  if (!members.isWhole) throw refuse(file, 'an object or array that is cut off or misses a comma');
  return { path: to, compression: null, shown: file.shown };
}

/** DuckDB takes several times the size of an array that is one line, beside its memory. */
const ARRAY_SHARE = 1 / 8;

/**
 * Writes the elements of an array that is the whole text as NDJSON; null if it is small for a
 * writer with this memory, or the text is no such array. Throws invalid_argument for an element
 * that is larger than DuckDB reads.
 */
export async function writeLargeArray(
  file: InputFile,
  memoryBytes: number,
  to: string,
  signal?: AbortSignal,
): Promise<InputFile | null> {
  const { size } = await stat(file.path);
  if (file.compression === null && size <= memoryBytes * ARRAY_SHARE) return null;
  const start = new JsonMembers([], false);
  for await (const bytes of inputBytes(file)) {
    start.push(bytes);
    if (start.roots > 0) break;
  }
  if (start.isArray !== true || start.roots > 1) return null;
  const { roots, isWhole } = await writeMembers(file, new JsonMembers([], true), '', to, signal);
  return roots === 1 && isWhole ? { path: to, compression: null, shown: file.shown } : null;
}

async function writeMembers(
  file: InputFile,
  members: JsonMembers,
  keyName: string,
  to: string,
  signal?: AbortSignal,
): Promise<JsonMembers> {
  const lines = async function* () {
    for await (const bytes of inputBytes(file)) {
      for (const member of members.push(bytes)) yield rowOf(member, keyName);
      if (members.openBytes > ROW_BYTES) throw refuse(file, LARGE_ROW);
    }
  };
  await writeLines(lines(), to, signal);
  return members;
}

/** DuckDB refuses larger objects. */
const ROW_BYTES = 16 * 2 ** 20;

function refuse({ path, shown }: InputFile, what: string): LakeError {
  const message = `cannot read ${shown}: it has ${what}`;
  return new LakeError('invalid_argument', message, { file: path });
}

async function freeKeyName(file: InputFile, path: readonly string[]): Promise<string> {
  const members = new JsonMembers(path, false);
  for await (const bytes of inputBytes(file)) {
    members.push(bytes);
    if (members.isArray === true || members.hasKey) break;
  }
  return members.hasKey ? '"row_key"' : '"key"';
}

/** Line ends occur between tokens only: inside of strings JSON writes them as `\n`. */
function rowOf({ key, kind, text }: JsonMember, keyName: string): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  if (key === null) return line;
  if (kind !== 'object') return `{${keyName}:${key},"value":${line}}`;
  const isEmpty = /^\{\s*\}$/.test(line);
  return `{${keyName}:${key}${isEmpty ? '' : ','}${line.slice(1)}`;
}
