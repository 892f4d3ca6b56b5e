/**
 * Rows of a JSON text that is one object: the elements of an array in it, or one row per key.
 * Without a choice of the caller, such a text has
 *
 * | the object                                                        | rows                    |
 * |-------------------------------------------------------------------|-------------------------|
 * | GeoJSON with `features`                                           | the features            |
 * | TopoJSON                                                          | the longest geometries  |
 * | has one array of objects, of two or more                          | the elements of it      |
 * | has ten or more members, all objects or all arrays (but two)      | its members, with `key` |
 * | anything else                                                     | itself                  |
 */
import { stat } from 'node:fs/promises';
import { LakeError } from '../../base/errors.ts';
import { inputBytes } from '../input/input-bytes.ts';
import type { InputFile } from '../input/input-files.ts';
import { LARGE_ROW } from '../sql-fault.ts';
import { type JsonMember, JsonMembers } from './json-members.ts';
import { writeLines } from './write-lines.ts';

/** Where the rows of a JSON text are: the members of the object or array at a path of keys. */
export interface JsonRows {
  /** Empty: the whole text. */
  readonly path: readonly string[];
  readonly isGuess: boolean;
  /** Paths of other rows, if the text has several kinds of them. */
  readonly others?: readonly (readonly string[])[];
  /** Keys of rows of another kind than the rest: objects among arrays, texts among objects. */
  readonly unlike?: readonly string[];
  /** Keys beside an array whose elements are the rows. */
  readonly leftOut?: readonly string[];
}

const LEAST_KEYS = 10;
const MAX_UNLIKE = 2;
const LEAST_ELEMENTS = 2;

/** A JSON text, and where its rows are. */
export interface FoundRows {
  readonly file: InputFile;
  /** "object": the text is one row itself, "values": its values are the rows. */
  readonly rows: JsonRows | 'object' | 'values';
  /** The number of elements of each array of objects directly inside of an object. */
  readonly lists?: ReadonlyMap<string, number>;
}

/** Where the rows of a text are, without a choice of the caller. */
export async function findJsonRows(file: InputFile, signal?: AbortSignal): Promise<FoundRows> {
  const members = new JsonMembers([], false);
  const found: JsonMember[] = [];
  for await (const bytes of inputBytes(file)) {
    signal?.throwIfAborted();
    for (const member of members.push(bytes)) found.push(member);
    if (members.roots > 1 || members.isArray === true) return { file, rows: 'values' };
  }
  const rows = (isTopology(found) ? await geometries(file, signal) : null) ?? rowsOfObject(found);
  const lists = listsIn(found).map((list) => [keyOf(list), list.objects] as const);
  return { file, rows, lists: new Map(lists) };
}

const listsIn = (members: readonly JsonMember[]): readonly JsonMember[] =>
  members.filter(({ kind, others }) => kind === 'array' && others === 0);

function rowsOfObject(members: readonly JsonMember[]): JsonRows | 'object' {
  const lists = listsIn(members).filter(({ objects }) => objects >= LEAST_ELEMENTS);
  const features = members.find(({ key, kind }) => key === '"features"' && kind === 'array');
  const list = features ?? (lists.length === 1 ? lists[0] : undefined);
  if (list !== undefined) return { path: [keyOf(list)], isGuess: true, ...besides(members, list) };
  return alikeRows(members, 'object') ?? alikeRows(members, 'array') ?? 'object';
}

/**
 * Texts that are one object each, read in one way: where their guesses differ, the rows are the
 * elements of an array that all of them have, of ten or more on average, else the texts.
 */
export function inOneWay(found: readonly FoundRows[]): readonly FoundRows[] {
  const objects = found.filter(({ rows }) => rows !== 'values');
  const guesses = objects.map(({ rows }) => rows).filter((rows) => typeof rows === 'object');
  const paths = new Set(guesses.map(({ path }) => JSON.stringify(path)));
  if (paths.size === 0 || (paths.size === 1 && guesses.length === objects.length)) return found;
  const isCommon = ({ path: [key, ...inner] }: JsonRows) => {
    const sizes = objects.map(({ lists }) => (inner.length === 0 && lists?.get(key)) || 0);
    const isInAll = objects.every(({ lists }) => lists?.has(key));
    return isInAll && sizes.reduce((sum, size) => sum + size, 0) >= LEAST_KEYS * objects.length;
  };
  const rows = guesses.find(isCommon) ?? 'object';
  return found.map((one) => (one.rows === 'values' ? one : { ...one, rows }));
}

/** The keys beside a list of rows; those of GeoJSON describe its features. */
function besides(members: readonly JsonMember[], list: JsonMember): Pick<JsonRows, 'leftOut'> {
  const leftOut = members.filter((member) => member !== list).map(keyOf);
  return list.key === '"features"' || leftOut.length === 0 ? {} : { leftOut };
}

/** Members of one kind, but for a few, as rows with their key. */
function alikeRows(members: readonly JsonMember[], kind: JsonMember['kind']): JsonRows | null {
  const unlike = members.filter((member) => member.kind !== kind).map(keyOf);
  if (members.length - unlike.length < LEAST_KEYS || unlike.length > MAX_UNLIKE) return null;
  const rows = { path: [], isGuess: true, ...largerObjects(members) };
  return unlike.length === 0 ? rows : { ...rows, unlike };
}

const keyOf = ({ key }: JsonMember): string => JSON.parse(key ?? '""');

/** Members that are objects of more objects than there are members. */
function largerObjects(members: readonly JsonMember[]): Pick<JsonRows, 'others'> {
  const larger = members
    .filter(({ objects, others }) => objects > members.length && others === 0)
    .toSorted((a, b) => b.objects - a.objects)
    .slice(0, MAX_OTHERS);
  if (larger.length === 0) return {};
  return { others: larger.map((member) => [keyOf(member)]) };
}

const MAX_OTHERS = 3;

const isTopology = (members: readonly JsonMember[]): boolean =>
  members.some(({ key, kind }) => key === '"objects"' && kind === 'object') &&
  members.some(({ key, kind }) => key === '"arcs"' && kind === 'array');

/** The longest of the lists of geometries that TopoJSON has by name; null if it has none. */
async function geometries(file: InputFile, signal?: AbortSignal): Promise<JsonRows | null> {
  const objects = await membersAt(file, ['objects'], signal);
  const lists: { readonly path: readonly string[]; readonly count: number }[] = [];
  for (const member of objects) {
    const path = ['objects', keyOf(member), 'geometries'];
    lists.push({ path, count: (await membersAt(file, path, signal)).length });
  }
  const paths = lists.sort((a, b) => b.count - a.count).map(({ path }) => path);
  const [path, ...others] = paths.slice(0, lists.filter(({ count }) => count > 0).length);
  return path === undefined ? null : { path, isGuess: true, others };
}

async function membersAt(
  file: InputFile,
  path: readonly string[],
  signal?: AbortSignal,
): Promise<readonly JsonMember[]> {
  const members = new JsonMembers(path, false);
  const found: JsonMember[] = [];
  for await (const bytes of inputBytes(file)) {
    signal?.throwIfAborted();
    for (const member of members.push(bytes)) found.push(member);
  }
  return found;
}

/** How rows are written. */
interface RowForm {
  /** The column of keys, in quotes; empty in an array. */
  readonly keyName: string;
  /** Whether objects are a value beside their key, too. */
  readonly hasValues: boolean;
}

/**
 * Writes the rows as NDJSON; with `hasValues` each member of an object has the columns `key` and
 * `value`. Returns whether they are members of an object. Throws invalid_argument if there is
 * nothing at the path, the text is not JSON, or a row is larger than DuckDB reads.
 */
export async function writeJsonRows(
  file: InputFile,
  { path }: JsonRows,
  to: string,
  hasValues: boolean,
  signal?: AbortSignal,
): Promise<{ readonly file: InputFile; readonly isKeyed: boolean }> {
  const keyName = hasValues ? '"key"' : await freeKeyName(file, path);
  const form = { keyName, hasValues };
  const members = await writeMembers(file, new JsonMembers(path, true), form, to, signal);
  if (members.isArray === null) throw refuse(file, `no object or array at "${path.join('.')}"`);
  if (!members.isWhole) throw refuse(file, CUT_OFF);
  const written = { path: to, compression: null, shown: file.shown };
  return { file: written, isKeyed: !members.isArray };
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
  if (!(await isArray(file))) return null;
  const { roots, isWhole } = await writeMembers(
    file,
    new JsonMembers([], true),
    AS_IT_IS,
    to,
    signal,
  );
  return roots === 1 && isWhole ? { path: to, compression: null, shown: file.shown } : null;
}

/**
 * The rows of a text as DuckDB finds them: the elements of an array, or its values. Throws
 * invalid_argument for a row that is larger than DuckDB reads, and for a text that is cut off.
 */
export async function* rowsIn(file: InputFile, signal?: AbortSignal): AsyncGenerator<string> {
  const members = new JsonMembers((await isArray(file)) ? [] : null, true);
  for await (const row of rowsOf(file, members, AS_IT_IS)) {
    signal?.throwIfAborted();
    yield row;
  }
  if (!members.isWhole) throw refuse(file, CUT_OFF);
}

async function isArray(file: InputFile): Promise<boolean> {
  const start = new JsonMembers([], false);
  for await (const bytes of inputBytes(file)) {
    start.push(bytes.subarray(0, 4096));
    if (start.roots > 0) break;
  }
  return start.isArray === true;
}

async function writeMembers(
  file: InputFile,
  members: JsonMembers,
  form: RowForm,
  to: string,
  signal?: AbortSignal,
): Promise<JsonMembers> {
  await writeLines(rowsOf(file, members, form), to, signal);
  return members;
}

async function* rowsOf(
  file: InputFile,
  members: JsonMembers,
  form: RowForm,
): AsyncGenerator<string> {
  for await (const bytes of inputBytes(file)) {
    for (const member of members.push(bytes)) yield rowOf(member, form);
    if (members.openBytes > ROW_BYTES) throw refuse(file, LARGE_ROW);
  }
}

const AS_IT_IS: RowForm = Object.freeze({ keyName: '', hasValues: false });

const CUT_OFF = 'an object or array that is cut off or misses a comma';

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
function rowOf({ key, kind, text }: JsonMember, { keyName, hasValues }: RowForm): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  if (key === null) return line;
  if (kind !== 'object' || hasValues) return `{${keyName}:${key},"value":${line}}`;
  const isEmpty = /^\{\s*\}$/.test(line);
  return `{${keyName}:${key}${isEmpty ? '' : ','}${line.slice(1)}`;
}
