/**
 * The columns of an input.
 *
 * 1. DuckDB returns names and types: for Parquet the file's types, for JSON those of all its
 *    values, for CSV texts.
 * 2. Texts of CSV and JSON follow common rules (text-forms.ts): first in a sample, then, if several
 *    types are possible, in all rows.
 */
import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import type { Type } from '../../schema/type.ts';
import { compactDates } from '../types/compact-dates.ts';
import { type ColumnForms, FormCounter, NO_FORMS, numbersAsDates } from '../types/form-counter.ts';
import { mixedColumns, withoutNullValues } from '../types/mixed-values.ts';
import { nearlyTyped } from '../types/nearly-typed.ts';
import { parseSqlType } from '../types/parse-sql-type.ts';
import { asRead, innerTypes, mapLeaves } from '../types/read-type.ts';
import { FORM, isOpen, typeOfForms } from '../types/text-forms.ts';
import { type DescribedType, wideObjects, withKeyCounts } from '../types/wide-objects.ts';
import type { WriterSession } from '../writer-session.ts';
import { csvLists } from './csv-lists.ts';
import { FILENAME } from './file-names.ts';
import type { StagedInput } from './input.ts';
import type { TextNote } from './input-notes.ts';
import { hasFilename, type ReadingOptions } from './reading-options.ts';
import { refuseMissing, refuseTwins } from './refuse-names.ts';
import { twinFault } from './twin-keys.ts';

/** A column of an input, its types without field ids (all 0). */
export interface InputColumn {
  /** In the table. */
  readonly name: string;
  /** In the files. */
  readonly key: string;
  /**
   * As it is read: time types and uuids of text formats are text still. Computed when it is first
   * read, because a column of variants needs none. Throws limit_exceeded, unsupported.
   */
  readonly source: Type;
  /** Whether its objects are read as JSON, because they have too many different keys. */
  readonly isWide: boolean;
  /** Whether its values are JSON texts. */
  readonly isJsonText: boolean;
}

const SAMPLE_ROWS = 20_480;
const NO_LISTS: ReadonlyMap<string, Type> = new Map();

/** Names and types of the columns as they are read. */
export async function inputColumns(
  session: WriterSession,
  input: StagedInput,
  signal?: AbortSignal,
): Promise<readonly InputColumn[]> {
  let described = await describe(session, input.relation).catch(async (error: unknown) => {
    throw await twinFault(error, input, signal);
  });
  // Rows of many columns of one type look like a map to DuckDB.
  const [column, ...others] = described.filter(
    ({ name }) => name !== FILENAME || !hasFilename(input.options),
  );
  const isMap = others.length === 0 && column?.sql.startsWith('MAP(') === true;
  if (input.format === 'json' && isMap) {
    described = await describe(session, input.relationWithoutMaps);
  }
  if (input.format === 'json') {
    await refuseTwinKeys(session, input, described, signal);
    described = await withoutNullValues(session, input, described);
  }
  const named = input.format === 'json' ? await namedColumns(session, input, described) : described;
  const names = await namesOf(named, input, signal);
  const counted = input.format === 'json' ? withKeyCounts(described) : [];
  const wide = new Set(wideObjects(counted).map(({ name }) => name));
  return names.map((name, i) => new DescribedColumn(name, described[i], wide, input));
}

/**
 * The columns, of which the one that DuckDB names `json` is `value` if the rows are no objects;
 * none if all rows are objects without keys.
 */
async function namedColumns(
  session: WriterSession,
  { objects }: StagedInput,
  columns: readonly DescribedType[],
): Promise<readonly DescribedType[]> {
  if (columns.length !== 1 || columns[0].name !== 'json') return columns;
  const isObject = `json_type(json) = 'OBJECT'`;
  const [[some, keyed]] = await session.rows(
    `SELECT bool_or(${isObject}), bool_or(json::VARCHAR <> '{}') FROM ${objects}`,
  );
  if (keyed !== true) return [];
  return some === true ? columns : [{ ...columns[0], name: 'value' }];
}

/** The names in the table. Throws as `tableNames`, with the rows of JSON that have a repeat. */
async function namesOf(
  described: readonly DescribedType[],
  input: StagedInput,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    return tableNames(described, input.options);
  } catch (error) {
    if (input.format !== 'json') throw error;
    throw (await twinFault(null, input, signal)) ?? error;
  }
}

/** Throws column_not_found for a name that the files do not have, invalid_argument for a repeat. */
function tableNames(
  described: readonly { readonly name: string }[],
  { rename = {}, types = {} }: ReadingOptions,
): readonly string[] {
  const keys = described.map(({ name }) => name);
  const names = keys.map((key) => (Object.hasOwn(rename, key) ? rename[key] : key));
  refuseMissing(Object.keys(rename), keys);
  refuseMissing(Object.keys(types), names);
  refuseTwins(names, 'columns');
  return names;
}

/** DuckDB numbers a key that differs from another one only in case, and then reads NULL for it. */
async function refuseTwinKeys(
  session: WriterSession,
  input: StagedInput,
  columns: readonly { readonly name: string }[],
  signal?: AbortSignal,
): Promise<void> {
  const { objects } = input;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const isNumbered = ({ name }: { readonly name: string }) =>
    names.has(name.toLowerCase().replace(/_\d+$/, '')) && /_\d+$/.test(name);
  if (!columns.some(isNumbered)) return;
  const keys = await session.rows(`SELECT DISTINCT unnest(json_keys(json)) AS k FROM ${objects}`);
  const texts = new Set(keys.map(([key]) => String(key)));
  if (new Set([...texts].map((key) => key.toLowerCase())).size === texts.size) return;
  throw await twinFault(null, input, signal);
}

class DescribedColumn implements InputColumn {
  readonly name: string;
  readonly key: string;
  readonly isWide: boolean;
  readonly isJsonText: boolean;
  readonly #sql: string;
  readonly #input: StagedInput;
  #source: Type | undefined;

  constructor(
    name: string,
    { name: key, sql }: DescribedType,
    wide: ReadonlySet<string>,
    input: StagedInput,
  ) {
    this.name = name;
    this.key = key;
    this.isJsonText = input.jsonTexts.has(key);
    this.isWide = wide.has(key) || (this.isJsonText && !input.types.has(name));
    this.#sql = this.isWide || this.isJsonText ? 'JSON' : sql;
    this.#input = input;
  }

  get source(): Type {
    this.#source ??= this.#read();
    return this.#source;
  }

  #read(): Type {
    const type = parseSqlType(this.#sql, this.name);
    refuseDepth(this.name, type);
    return this.#input.format === 'parquet' ? type : asRead(withTexts(type));
  }
}

/** Values without a type of their own inside of lists and objects are read as JSON texts. */
const withTexts = (type: Type): Type =>
  type.kind === 'variant'
    ? type
    : mapLeaves(type, (leaf) => (leaf.kind === 'variant' ? { kind: 'string' } : leaf));

async function describe(
  session: WriterSession,
  relation: string,
): Promise<readonly DescribedType[]> {
  const rows = await session.rows(`DESCRIBE SELECT * FROM ${relation}`);
  return rows.map((row) => ({ name: String(row[0]), sql: String(row[1]) }));
}

/** Throws limit_exceeded for a column that DuckDB would take for ever to read or write. */
export function refuseDepth(name: string, type: Type): void {
  const [lists, all] = depth(type);
  if (lists <= LIMITS.importListDepth && all <= LIMITS.nestedLevels) return;
  const levels = LIMITS.nestedLevels;
  const limit = `${LIMITS.importListDepth} lists and maps, and ${levels} levels with structs`;
  throw new LakeError(
    'limit_exceeded',
    `column "${name}" nests ${lists} lists and maps, ${all} levels with structs; a ` +
      `writer takes ${limit}`,
  );
}

/** How deep a type nests: lists and maps alone, and together with structs. */
function depth(type: Type): readonly [number, number] {
  const inner = innerTypes(type).map(depth);
  const lists = Math.max(0, ...inner.map(([n]) => n));
  const all = Math.max(0, ...inner.map(([, n]) => n));
  const isList = type.kind === 'list' || type.kind === 'map';
  return [lists + (isList ? 1 : 0), all + (isList || type.kind === 'struct' ? 1 : 0)];
}

/** The types of a table made of the input, and what was seen of them. */
export interface TableTypes {
  readonly types: readonly Type[];
  /** 0 if they were not counted. */
  readonly rows: number;
  readonly notes: readonly TextNote[];
}

/**
 * Types of a table made of the input: those of its source for Parquet, those that are named, else
 * what its texts say.
 */
export async function tableTypes(
  session: WriterSession,
  input: StagedInput,
  columns: readonly InputColumn[],
): Promise<TableTypes> {
  if (input.format === 'parquet') {
    return { types: columns.map((c) => c.source), rows: 0, notes: [] };
  }
  session.enter({ phase: 'reading', rows: 0, from: 0.5, to: 1 });
  const { sampleRows } = input.options;
  const texts = new FormCounter(session, input);
  const free = columns.filter(({ name }) => !input.types.has(name));
  const sampled = free.length === 0 ? NO_FORMS : await texts.forms(free, sampleRows ?? SAMPLE_ROWS);
  const open = free.filter((_, i) => sampled.forms[i].some(isOpen));
  const counted = open.length > 0 ? open : columns.slice(0, 1);
  const whole = sampleRows === undefined ? await texts.forms(counted, null) : null;
  const found = new Map<InputColumn, ColumnForms>(
    free.map((column, i) => [column, { forms: sampled.forms[i], counts: sampled.counts[i] }]),
  );
  for (const [i, column] of open.entries()) {
    if (whole !== null) found.set(column, { forms: whole.forms[i], counts: whole.counts[i] });
  }
  for (const [column, forms] of await numbersAsDates(session, input, found)) {
    found.set(column, forms);
  }
  const isText = (column: InputColumn) =>
    column.source.kind === 'string' && ((found.get(column)?.forms[0] ?? 0) & FORM.other) !== 0;
  const unread = free.filter(isText).map(({ key }) => key);
  const lists = input.format === 'csv' ? await csvLists(session, input, unread) : NO_LISTS;
  const types = columns.map((column) => {
    const forms = [...(found.get(column)?.forms ?? [])];
    return (
      input.types.get(column.name) ??
      lists.get(column.key) ??
      mapLeaves(column.source, (leaf) =>
        isOpenLeaf(leaf) ? typeOfForms(forms.shift() ?? 0) : leaf,
      )
    );
  });
  const seen = free.map((column) => ({
    column,
    counts: found.get(column)?.counts ?? new Map<number, number>(),
  }));
  const numbers = free.filter((column) => types[columns.indexOf(column)].kind === 'long');
  const dates = input.format === 'csv' ? await compactDates(session, input, numbers) : [];
  const nearly = [...(await nearlyTyped(session, input.format, seen, texts)), ...dates];
  const typed = nearly.map((one) => ({ note: 'nearly_typed' as const, ...one }));
  const mixed = input.format === 'json' ? await mixedColumns(session, input, free) : [];
  return { types, rows: whole?.rows ?? 0, notes: [...typed, ...mixed] };
}

/**
 * Leaves whose values decide on the type: texts, and the whole numbers of JSON that DuckDB takes
 * for large ones (it does so if negative ones come late).
 */
const isOpenLeaf = (type: Type) => type.kind === 'string' || type.kind === 'decimal';
