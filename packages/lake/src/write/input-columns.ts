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
import type { StagedInput } from './input.ts';
import { parseSqlType } from './parse-sql-type.ts';
import { refuseTwins } from './refuse-twins.ts';
import { sqlType } from './sql-type.ts';
import { isOpen, isTimeType, typeOfForms } from './text-forms.ts';
import type { WriterSession } from './writer-session.ts';

/** A column of an input, its types without field ids (all 0). */
export interface InputColumn {
  readonly name: string;
  /**
   * As it is read: time types and uuids of text formats are text still. Computed when it is first
   * read, because a column of variants needs none. Throws limit_exceeded, unsupported.
   */
  readonly source: Type;
}

const SAMPLE_ROWS = 20_480;

/** Names and types of the columns as they are read. */
export async function inputColumns(
  session: WriterSession,
  input: StagedInput,
): Promise<readonly InputColumn[]> {
  let described = await describe(session, input.relation);
  // Rows of many columns of one type look like a map to DuckDB.
  if (input.format === 'json' && described.length === 1 && described[0].sql.startsWith('MAP(')) {
    described = await describe(session, input.relationWithoutMaps);
  }
  if (input.format === 'json') await refuseTwinKeys(session, input, described);
  return described.map(({ name, sql }) => new DescribedColumn(name, sql, input));
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
  readonly #sql: string;
  readonly #input: StagedInput;
  #source: Type | undefined;

  constructor(name: string, sql: string, input: StagedInput) {
    this.name = name;
    this.#sql = sql;
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

async function describe(session: WriterSession, relation: string) {
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

/** Types of a table made of the input: those of `source` for Parquet, else what its texts say. */
export async function tableTypes(
  session: WriterSession,
  input: StagedInput,
  columns: readonly InputColumn[],
): Promise<{ readonly types: readonly Type[]; readonly rows: number }> {
  if (input.format === 'parquet') return { types: columns.map((c) => c.source), rows: 0 };
  session.enter({ phase: 'reading', rows: 0, from: 0.5, to: 1 });
  const texts = new FormCounter(session, input);
  const sampled = await texts.forms(columns, SAMPLE_ROWS);
  const open = columns.filter((_, i) => sampled.forms[i].some(isOpen));
  const whole = await texts.forms(open.length > 0 ? open : columns.slice(0, 1), null);
  const types = columns.map((column, i) => {
    const at = open.indexOf(column);
    const forms = [...(at < 0 ? sampled.forms[i] : whole.forms[at])];
    return mapLeaves(column.source, (leaf) =>
      isOpenLeaf(leaf) ? typeOfForms(forms.shift() ?? 0) : leaf,
    );
  });
  return { types, rows: whole.rows };
}

/**
 * Leaves whose values decide on the type: texts, and the whole numbers of JSON that DuckDB takes
 * for large ones (it does so if negative ones come late).
 */
const isOpenLeaf = (type: Type) => type.kind === 'string' || type.kind === 'decimal';

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

  /**
   * The texts of columns that are text go through one expression, whatever their number: thousands
   * of copies of it would take DuckDB minutes.
   */
  async forms(
    columns: readonly InputColumn[],
    limit: number | null,
  ): Promise<{ readonly rows: number; readonly forms: readonly (readonly number[])[] }> {
    const plain = columns.filter(({ source }) => source.kind === 'string');
    const nested = columns.filter(({ source }) => source.kind !== 'string');
    const leaves = nested.map(({ name, source }) => this.#leaves(source, quoteName(name), 0));
    const texts = plain.map(({ name }) => quoteName(name)).join(', ');
    const plainForms = `list_transform([${texts}]::VARCHAR[], lambda x: ${this.#macro}(x))`;
    const all = `list_concat(${plainForms}, [${leaves.flat().join(', ')}]::INTEGER[])`;
    const rows =
      `SELECT ${all} AS forms FROM ` +
      `${this.#relation(columns)}${limit === null ? '' : ` LIMIT ${limit}`}`;
    const found = await this.#session.rows(
      `SELECT place, count(*), bit_or(form) FROM (
         SELECT unnest([0] || forms) AS form, generate_subscripts([0] || forms, 1) AS place
         FROM (${rows})) GROUP BY place ORDER BY place`,
    );
    const bits = new Map(found.map(([place, , form]) => [Number(place) - 2, Number(form ?? 0)]));
    let next = plain.length;
    const forms = columns.map((column) => {
      const at = nested.indexOf(column);
      if (at < 0) return [bits.get(plain.indexOf(column)) ?? 0];
      return leaves[at].map(() => bits.get(next++) ?? 0);
    });
    return { rows: Number(found[0]?.[1] ?? 0), forms };
  }

  #relation(columns: readonly InputColumn[]): string {
    const types = columns.map(({ name, source }) => [name, readType(source)] as const);
    return this.#input.typedRelation(types);
  }

  #leaves(type: Type, expression: string, level: number): readonly string[] {
    switch (type.kind) {
      case 'string':
        return [`${this.#macro}(${expression})`];
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
