/**
 * The columns of an input.
 *
 * 1. DuckDB returns names and types: for Parquet the file's types, for JSON those of all its
 *    values, for CSV texts.
 * 2. Texts of CSV and JSON follow common rules (text-forms.ts): first in a sample, then, if several
 *    types are possible, in all rows.
 */
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { quoteName } from '../scan/duckdb/quoting.ts';
import type { Type } from '../schema/type.ts';
import { FILENAME } from './file-names.ts';
import type { StagedInput } from './input.ts';
import type { NearlyTyped } from './input-notes.ts';
import { withoutNullValues } from './mixed-values.ts';
import { nearlyTyped } from './nearly-typed.ts';
import { parseSqlType } from './parse-sql-type.ts';
import { hasFilename, type ReadingOptions } from './reading-options.ts';
import { refuseMissing, refuseTwins } from './refuse-names.ts';
import { sqlType } from './sql-type.ts';
import { isOpen, isTimeType, typeOfForms } from './text-forms.ts';
import { type DescribedType, wideObjects } from './wide-objects.ts';
import type { WriterSession } from './writer-session.ts';

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
}

const SAMPLE_ROWS = 20_480;

/** Names and types of the columns as they are read. */
export async function inputColumns(
  session: WriterSession,
  input: StagedInput,
): Promise<readonly InputColumn[]> {
  let described = await describe(session, input.relation);
  // Rows of many columns of one type look like a map to DuckDB.
  const [column, ...others] = described.filter(
    ({ name }) => name !== FILENAME || !hasFilename(input.options),
  );
  const isMap = others.length === 0 && column?.sql.startsWith('MAP(') === true;
  if (input.format === 'json' && isMap) {
    described = await describe(session, input.relationWithoutMaps);
  }
  if (input.format === 'json') {
    await refuseTwinKeys(session, input, described);
    described = await withoutNullValues(session, input, described);
  }
  const names = tableNames(described, input.options);
  const wide = input.format === 'json' ? wideObjects(described) : new Set<DescribedType>();
  return described.map(
    (column, i) => new DescribedColumn(names[i], column, wide.has(column), input),
  );
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
  { objects }: StagedInput,
  columns: readonly { readonly name: string }[],
): Promise<void> {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const isNumbered = ({ name }: { readonly name: string }) =>
    names.has(name.toLowerCase().replace(/_\d+$/, '')) && /_\d+$/.test(name);
  if (!columns.some(isNumbered)) return;
  const keys = await session.rows(`SELECT DISTINCT unnest(json_keys(json)) AS k FROM ${objects}`);
  refuseTwins(keys.map(([key]) => String(key)).toSorted(), 'keys');
}

class DescribedColumn implements InputColumn {
  readonly name: string;
  readonly key: string;
  readonly isWide: boolean;
  readonly #sql: string;
  readonly #input: StagedInput;
  #source: Type | undefined;

  constructor(
    name: string,
    { name: key, sql }: DescribedType,
    isWide: boolean,
    input: StagedInput,
  ) {
    this.name = name;
    this.key = key;
    this.isWide = isWide;
    this.#sql = isWide ? 'JSON' : sql;
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

/** The types inside of a type. */
export function innerTypes(type: Type): readonly Type[] {
  if (type.kind === 'struct') return type.fields.map((field) => field.type);
  if (type.kind === 'list') return [type.element];
  return type.kind === 'map' ? [type.key, type.value] : [];
}

/** The type with other leaves. */
export function mapLeaves(type: Type, leaf: (type: Type) => Type): Type {
  switch (type.kind) {
    case 'struct':
      return { ...type, fields: type.fields.map((f) => ({ ...f, type: mapLeaves(f.type, leaf) })) };
    case 'list':
      return { ...type, element: mapLeaves(type.element, leaf) };
    case 'map':
      return { ...type, value: mapLeaves(type.value, leaf) };
    default:
      return leaf(type);
  }
}

/** How a type is read from text: what DuckDB would convert by its own rules stays text. */
export const asRead = (type: Type): Type =>
  mapLeaves(type, (leaf) => (isTimeType(leaf) || leaf.kind === 'uuid' ? { kind: 'string' } : leaf));

/** The DuckDB type as which JSON is read. */
export function readType(type: Type): string {
  return type.kind === 'variant' ? 'JSON' : sqlType(asRead(type));
}

/** The types of a table made of the input, and what was seen of them. */
export interface TableTypes {
  readonly types: readonly Type[];
  /** 0 if they were not counted. */
  readonly rows: number;
  /** Columns of texts that look like another type. */
  readonly nearly: readonly NearlyTyped[];
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
    return { types: columns.map((c) => c.source), rows: 0, nearly: [] };
  }
  session.enter({ phase: 'reading', rows: 0, from: 0.5, to: 1 });
  const { sampleRows } = input.options;
  const texts = new FormCounter(session, input);
  const free = columns.filter(({ name }) => !input.types.has(name));
  const sampled = free.length === 0 ? NO_FORMS : await texts.forms(free, sampleRows ?? SAMPLE_ROWS);
  const open = free.filter((_, i) => sampled.forms[i].some(isOpen));
  const counted = open.length > 0 ? open : columns.slice(0, 1);
  const whole = sampleRows === undefined ? await texts.forms(counted, null) : null;
  const found = new Map(
    free.map((column, i) => [column, { forms: sampled.forms[i], counts: sampled.counts[i] }]),
  );
  for (const [i, column] of open.entries()) {
    if (whole !== null) found.set(column, { forms: whole.forms[i], counts: whole.counts[i] });
  }
  const types = columns.map((column) => {
    const forms = [...(found.get(column)?.forms ?? [])];
    return (
      input.types.get(column.name) ??
      mapLeaves(column.source, (leaf) =>
        isOpenLeaf(leaf) ? typeOfForms(forms.shift() ?? 0) : leaf,
      )
    );
  });
  const seen = free.map((column) => ({
    column,
    counts: found.get(column)?.counts ?? new Map<number, number>(),
  }));
  const nearly = await nearlyTyped(session, input.format, seen, texts);
  return { types, rows: whole?.rows ?? 0, nearly };
}

/**
 * Leaves whose values decide on the type: texts, and the whole numbers of JSON that DuckDB takes
 * for large ones (it does so if negative ones come late).
 */
const isOpenLeaf = (type: Type) => type.kind === 'string' || type.kind === 'decimal';

/** Rows, and by column the forms of its open leaves; of columns of text how many have each form. */
interface CountedForms {
  readonly rows: number;
  readonly forms: readonly (readonly number[])[];
  readonly counts: readonly ReadonlyMap<number, number>[];
}

const NO_FORMS: CountedForms = Object.freeze({ rows: 0, forms: [], counts: [] });

/** Finds the forms of the open leaves of columns, each in the order of `mapLeaves`. */
class FormCounter {
  readonly #session: WriterSession;
  readonly #input: StagedInput;
  readonly #macro: string;

  constructor(session: WriterSession, input: StagedInput) {
    this.#session = session;
    this.#input = input;
    this.#macro = input.format === 'csv' ? 'lhs_csv_form' : 'lhs_form';
  }

  /** SQL for the form of a text. */
  form = (text: string): string => `${this.#macro}(lhs_plain(${text}))`;

  /**
   * The texts of columns that are text go through one expression, whatever their number: thousands
   * of copies of it would take DuckDB minutes.
   */
  async forms(columns: readonly InputColumn[], limit: number | null): Promise<CountedForms> {
    const plain = columns.filter(({ source }) => source.kind === 'string');
    const nested = columns.filter(({ source }) => source.kind !== 'string');
    const leaves = nested.map(({ key, source }) => this.#leaves(source, quoteName(key), 0));
    const texts = plain.map(({ key }) => quoteName(key)).join(', ');
    const plainForms = `list_transform([${texts}]::VARCHAR[], lambda x: ${this.form('x')})`;
    const all = `list_concat(${plainForms}, [${leaves.flat().join(', ')}]::INTEGER[])`;
    const rows =
      `SELECT ${all} AS forms FROM ` +
      `${this.relation(columns)}${limit === null ? '' : ` LIMIT ${limit}`}`;
    const found = await this.#session.rows(
      `SELECT place, form, count(*) FROM (
         SELECT unnest([0] || forms) AS form, generate_subscripts([0] || forms, 1) AS place
         FROM (${rows})) GROUP BY place, form`,
    );
    const counts = new Map<number, Map<number, number>>();
    for (const [place, form, count] of found) {
      const at = Number(place) - 2;
      counts.set(at, (counts.get(at) ?? new Map()).set(Number(form ?? 0), Number(count)));
    }
    const bits = (at: number) =>
      [...(counts.get(at)?.keys() ?? [])].reduce((all, one) => all | one, 0);
    let next = plain.length;
    const forms = columns.map((column) => {
      const at = nested.indexOf(column);
      return at < 0 ? [bits(plain.indexOf(column))] : leaves[at].map(() => bits(next++));
    });
    const ofTexts = columns.map((column) => counts.get(plain.indexOf(column)) ?? new Map());
    return { rows: counts.get(-1)?.get(0) ?? 0, forms, counts: ofTexts };
  }

  /** A FROM clause that reads columns as they are typed in the source. */
  relation(columns: readonly InputColumn[]): string {
    const types = columns.map(({ key, source }) => [key, readType(source)] as const);
    return this.#input.typedRelation(types);
  }

  #leaves(type: Type, expression: string, level: number): readonly string[] {
    switch (type.kind) {
      case 'string':
        return [this.form(expression)];
      case 'decimal':
        return [`lhs_whole_form(${expression})`];
      case 'struct':
        return type.fields.flatMap((field) =>
          this.#leaves(field.type, `${expression}.${quoteName(field.name)}`, level),
        );
      case 'list':
        return this.#listLeaves(type.element, expression, level);
      case 'map':
        return this.#listLeaves(type.value, `map_values(${expression})`, level);
      default:
        return [];
    }
  }

  #listLeaves(element: Type, list: string, level: number): readonly string[] {
    const item = `e${level}`;
    return this.#leaves(element, item, level + 1).map(
      (leaf) => `coalesce(list_bit_or(list_transform(${list}, lambda ${item}: ${leaf})), 0)`,
    );
  }
}
