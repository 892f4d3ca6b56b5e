import type { FieldType } from '@lakehouse-search/contract';
import type { PrimitiveKind } from '@lakehouse-search/lake';

/** The value of a column in rows that a collection returns, by the column's kind. */
export interface ColumnValues {
  /** A text that is compared as a whole: filters, facets, sort orders. */
  readonly string: string;
  /** A text whose words are searched. */
  readonly text: string;
  /** A whole number that JavaScript represents exactly. */
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  /** A moment in milliseconds. */
  readonly date: Date;
}
/** The kind of a column of plain values. */
export type ColumnKind = keyof ColumnValues;

/** How each kind is stored in the table and in the index. */
export const COLUMN_TYPES = Object.freeze({
  string: { type: 'string', field: 'KEYWORD' },
  text: { type: 'string', field: 'TEXT' },
  integer: { type: 'long', field: 'LONG' },
  number: { type: 'double', field: 'DOUBLE' },
  boolean: { type: 'boolean', field: 'BOOL' },
  date: { type: 'timestamptz', field: 'DATE' },
} as const) satisfies Record<
  ColumnKind,
  { readonly type: PrimitiveKind; readonly field: FieldType }
>;

/** A column of a collection. `L`: whether its values are lists. */
export interface Column<
  K extends ColumnKind = ColumnKind,
  O extends boolean = boolean,
  L extends boolean = boolean,
> {
  readonly kind: K;
  readonly optional: O;
  readonly list: L;
  /** Of a `text`. */
  readonly analyzer?: string;
}

/** A column, or the name of its kind. */
export type ColumnSpec = ColumnKind | Column;
/** The columns of a collection by name. */
export type Columns = Readonly<Record<string, ColumnSpec>>;

/** A text whose words are searched. `analyzer`: `standard` by default, or a language. */
export const text = (analyzer = 'standard'): Column<'text', false, false> =>
  Object.freeze({ kind: 'text', optional: false, list: false, analyzer });

/** A moment: a `Date`, or ISO 8601 with a time zone. */
export const date = (): Column<'date', false, false> => columnOf('date');

/** A column that rows may leave out; it is null then. */
export const optional = <S extends ColumnKind | Column<ColumnKind, boolean, false>>(column: S) =>
  Object.freeze({ ...columnOf(column), optional: true }) as Column<KindOf<S>, true, false>;

/** A column of lists of values. Rows that leave it out have an empty list. */
export const list = <S extends ColumnKind | Column<ColumnKind, false, false>>(column: S) =>
  Object.freeze({ ...columnOf(column), list: true }) as Column<KindOf<S>, false, true>;

/** A column of the kind. */
export function columnOf<K extends ColumnKind>(kind: K): Column<K, false, false>;
/** A column, from the name of its kind too. */
export function columnOf(column: ColumnSpec): Column;
/** A name stands for a required column of single values. */
export function columnOf(column: ColumnSpec): Column {
  if (typeof column !== 'string') return column;
  return Object.freeze({ kind: column, optional: false, list: false });
}

/** The kind of a column. */
export type KindOf<S> = S extends ColumnKind ? S : S extends Column<infer K> ? K : never;

type OptionalName<C> = {
  [N in keyof C]: C[N] extends { readonly optional: true } ? N : never;
}[keyof C];
type ListName<C> = {
  [N in keyof C]: C[N] extends { readonly list: true } ? N : never;
}[keyof C];
type NameOfKind<C, K extends ColumnKind> = {
  [N in keyof C & string]: KindOf<C[N]> extends K ? N : never;
}[keyof C & string];

/** Names of columns that can be the key. */
export type KeyName<C> = Exclude<
  NameOfKind<C, 'string' | 'integer'>,
  OptionalName<C> | ListName<C>
>;

type TypesOf<C, N extends keyof C> = {
  readonly [X in N]: (typeof COLUMN_TYPES)[KindOf<C[X]>]['field'];
};
/** The types of an index over columns. */
export interface ColumnTypes<C> {
  readonly name: string;
  readonly cached: Readonly<Record<never, never>>;
  readonly fast: TypesOf<C, NameOfKind<C, Exclude<ColumnKind, 'text'>>>;
  readonly indexed: TypesOf<C, keyof C & string>;
  readonly vectors: never;
  readonly paths: never;
}

type Shaped<S, V> = S extends { readonly list: true } ? readonly V[] : V;
type Value<S> = Shaped<S, ColumnValues[KindOf<S>]>;
type Accepted<S> = Shaped<S, KindOf<S> extends 'date' ? Date | string : ColumnValues[KindOf<S>]>;

/** A row as a collection returns it. */
export type RowOf<C> = {
  readonly [N in keyof C]: Value<C[N]> | (N extends OptionalName<C> ? null : never);
};
/** A row as a collection accepts it: optional columns and lists may be absent. */
export type NewRowOf<C> = {
  readonly [N in Exclude<keyof C, OptionalName<C> | ListName<C>>]: Accepted<C[N]>;
} & { readonly [N in OptionalName<C> | ListName<C>]?: Accepted<C[N]> | null | undefined };
