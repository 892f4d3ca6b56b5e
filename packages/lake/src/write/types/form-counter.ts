import { quoteName } from '../../scan/duckdb/quoting.ts';
import type { Type } from '../../schema/type.ts';
import type { StagedInput } from '../input/input.ts';
import type { InputColumn } from '../input/input-columns.ts';
import type { WriterSession } from '../writer-session.ts';
import { readType } from './read-type.ts';
import { FORM, typeOfForms } from './text-forms.ts';

/** Rows, and by column the forms of its open leaves; of columns of text how many have each form. */
export interface CountedForms {
  readonly rows: number;
  readonly forms: readonly (readonly number[])[];
  readonly counts: readonly ReadonlyMap<number, number>[];
}

/** Forms of no columns. */
export const NO_FORMS: CountedForms = Object.freeze({ rows: 0, forms: [], counts: [] });

/**
 * SQL for the values of an open leaf: one text, a list of texts, or the form of a whole number.
 */
interface Leaf {
  readonly kind: 'text' | 'texts' | 'form';
  readonly sql: string;
}

/** Finds the forms of the open leaves of columns, each in the order of `mapLeaves`. */
export class FormCounter {
  readonly #session: WriterSession;
  readonly #input: StagedInput;
  readonly #macro: string;

  readonly #plain: string;

  /** `plain`: the macro that writes the notations of the caller. */
  constructor(session: WriterSession, input: StagedInput, plain = 'lhs_plain') {
    this.#plain = plain;
    this.#session = session;
    this.#input = input;
    this.#macro = input.format === 'csv' ? 'lhs_csv_form' : 'lhs_form';
  }

  /** SQL for the form of a text. */
  form = (text: string): string => `${this.#macro}(${this.#plain}(${text}))`;

  /**
   * All texts go through one expression, and all lists of texts through another one, whatever
   * their number: thousands of copies of it would take DuckDB minutes.
   */
  async forms(columns: readonly InputColumn[], limit: number | null): Promise<CountedForms> {
    const leaves = columns.map(({ key, source }) => leavesOf(source, quoteName(key), 0));
    const ofKind = (kind: Leaf['kind']) => leaves.flat().filter((leaf) => leaf.kind === kind);
    const ordered = [...ofKind('text'), ...ofKind('texts'), ...ofKind('form')];
    const places = new Map(ordered.map((leaf, i) => [leaf, i]));
    const rows =
      `SELECT ${this.#all(ofKind)} AS forms FROM ` +
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
    const countsOf = (leaf: Leaf) => counts.get(places.get(leaf) ?? -1) ?? new Map();
    const bits = (leaf: Leaf) => [...countsOf(leaf).keys()].reduce((all, one) => all | one, 0);
    const ofTexts = columns.map(({ source }, i) =>
      source.kind === 'string' ? countsOf(leaves[i][0]) : new Map(),
    );
    const forms = leaves.map((of) => of.map(bits));
    return { rows: counts.get(-1)?.get(0) ?? 0, forms, counts: ofTexts };
  }

  #all(ofKind: (kind: Leaf['kind']) => readonly Leaf[]): string {
    const list = (kind: Leaf['kind']) =>
      `[${ofKind(kind)
        .map(({ sql }) => sql)
        .join(', ')}]`;
    const formsOf = (texts: string) => `list_transform(${texts}, lambda x: ${this.form('x')})`;
    const bits = `coalesce(list_bit_or(${formsOf('texts')}), 0)`;
    const texts = `list_transform(${list('texts')}::VARCHAR[][], lambda texts: ${bits})`;
    const plain = formsOf(`${list('text')}::VARCHAR[]`);
    return `list_concat(list_concat(${plain}, ${texts}), ${list('form')}::INTEGER[])`;
  }

  /** A FROM clause that reads columns as they are typed in the source. */
  relation(columns: readonly InputColumn[]): string {
    const types = columns.map(({ key, source }) => [key, readType(source)] as const);
    return this.#input.typedRelation(types);
  }
}

const NUMBERS = FORM.int | FORM.big | FORM.double;
const DATES = FORM.date | FORM.timestamp | FORM.timestamp_ns | FORM.timestamptz;

/** The forms of a column of text, and how many texts have each. */
export interface ColumnForms {
  readonly forms: readonly number[];
  readonly counts: ReadonlyMap<number, number>;
}

/**
 * Columns of CSV whose numbers are dates in part by a format of the caller, with their forms
 * without that format: `2933121` is a number beside `5304218`, though `%Y%m%d` reads it.
 */
export async function numbersAsDates(
  session: WriterSession,
  input: StagedInput,
  found: ReadonlyMap<InputColumn, ColumnForms>,
): Promise<ReadonlyMap<InputColumn, ColumnForms>> {
  const { dateFormats, sampleRows = null } = input.options;
  if (input.format !== 'csv' || dateFormats === undefined) return new Map();
  const isMixed = ([forms]: readonly number[]) => (forms & NUMBERS) !== 0 && (forms & DATES) !== 0;
  const mixed = [...found].flatMap(([column, { forms }]) => (isMixed(forms) ? [column] : []));
  if (mixed.length === 0) return new Map();
  const raw = await new FormCounter(session, input, 'lhs_decimal').forms(mixed, sampleRows);
  return new Map(
    mixed.flatMap((column, i) => {
      const [forms, counts] = [raw.forms[i], raw.counts[i]];
      return typeOfForms(forms[0]).kind === 'string' ? [] : [[column, { forms, counts }] as const];
    }),
  );
}

function leavesOf(type: Type, expression: string, level: number): readonly Leaf[] {
  switch (type.kind) {
    case 'string':
      return [{ kind: 'text', sql: expression }];
    case 'decimal':
      return [{ kind: 'form', sql: `lhs_whole_form(${expression})` }];
    case 'struct':
      return type.fields.flatMap((field) =>
        leavesOf(field.type, `${expression}.${quoteName(field.name)}`, level),
      );
    case 'list':
      return listLeaves(type.element, expression, level);
    case 'map':
      return listLeaves(type.value, `map_values(${expression})`, level);
    default:
      return [];
  }
}

function listLeaves(element: Type, list: string, level: number): readonly Leaf[] {
  const item = `e${level}`;
  return leavesOf(element, item, level + 1).map(({ kind, sql }) => {
    const inner = sql === item ? list : `list_transform(${list}, lambda ${item}: ${sql})`;
    if (kind === 'form') return { kind, sql: `coalesce(list_bit_or(${inner}), 0)` };
    return { kind: 'texts', sql: kind === 'text' ? inner : `flatten(${inner})` };
  });
}
