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
export type ColumnKind = keyof ColumnValues;

/** A column of a collection. */
export interface Column<K extends ColumnKind = ColumnKind, O extends boolean = boolean> {
  readonly kind: K;
  readonly optional: O;
  /** Of a `text`. */
  readonly analyzer?: string;
}

/** A column, or the name of its kind. */
export type ColumnSpec = ColumnKind | Column;
/** The columns of a collection by name. */
export type Columns = Readonly<Record<string, ColumnSpec>>;

/** A text whose words are searched. `analyzer`: `standard` by default, or a language. */
export const text = (analyzer = 'standard'): Column<'text', false> =>
  Object.freeze({ kind: 'text', optional: false, analyzer });

/** A moment: a `Date`, or ISO 8601 with a time zone. */
export const date = (): Column<'date', false> => Object.freeze({ kind: 'date', optional: false });

/** A column that rows may leave out; it is null then. */
export const optional = <S extends ColumnSpec>(column: S) =>
  Object.freeze({ ...columnOf(column), optional: true }) as Column<KindOf<S>, true>;

/** A column, from the name of its kind too. */
export const columnOf = (column: ColumnSpec): Column =>
  typeof column === 'string' ? Object.freeze({ kind: column, optional: false }) : column;

/** The kind of a column. */
export type KindOf<S> = S extends ColumnKind ? S : S extends Column<infer K> ? K : never;

type OptionalName<C> = {
  [N in keyof C]: C[N] extends { readonly optional: true } ? N : never;
}[keyof C];
type NameOfKind<C, K extends ColumnKind> = {
  [N in keyof C & string]: KindOf<C[N]> extends K ? N : never;
}[keyof C & string];

/** Names of columns that can be the key. */
export type KeyName<C> = Exclude<NameOfKind<C, 'string' | 'integer'>, OptionalName<C>>;
/** Names of columns whose values a result can be sorted by. */
export type SortName<C> = NameOfKind<C, Exclude<ColumnKind, 'text'>>;
/** Names of columns whose words or values a query can name. */
export type TextName<C> = NameOfKind<C, 'text'>;

type Value<S> = ColumnValues[KindOf<S>];
type Accepted<S> = KindOf<S> extends 'date' ? Date | string : Value<S>;

/** A row as a collection returns it. */
export type RowOf<C> = {
  readonly [N in keyof C]: Value<C[N]> | (N extends OptionalName<C> ? null : never);
};
/** A row as a collection accepts it: columns that are optional may be absent. */
export type NewRowOf<C> = {
  readonly [N in Exclude<keyof C, OptionalName<C>>]: Accepted<C[N]>;
} & { readonly [N in OptionalName<C>]?: Accepted<C[N]> | null | undefined };
