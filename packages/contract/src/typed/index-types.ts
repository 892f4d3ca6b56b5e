import type { Json } from '../json.ts';
import type { FieldObject, VectorObject } from './definition-object.ts';

/** What types an index has: its fields by what they can do, with their values in JSON. */
export interface IndexTypes {
  readonly name: string;
  /** Fields that hits have. */
  readonly cached: Readonly<Record<string, Json>>;
  /** Fields that sort, group and have facets, with the type of one value. */
  readonly fast: Readonly<Record<string, Json>>;
  /** Names of the fields that queries search. */
  readonly indexed: string;
  /** Names of VECTOR fields. */
  readonly vectors: string;
  /** Names of columns whose paths are fields: `meta.user.id`. */
  readonly paths: string;
}

/** A value of a field as it travels. A whole number beyond 2^53 is a text, as are NaN and Infinity. */
export interface FieldValues {
  readonly TEXT: string;
  readonly KEYWORD: string;
  readonly LONG: number | string;
  readonly DOUBLE: number | 'NaN' | 'Infinity' | '-Infinity';
  /** ISO 8601 with microseconds. */
  readonly DATE: string;
  readonly IP: string;
  readonly BOOL: boolean;
  readonly VECTOR: readonly number[];
}

type FastByDefault = 'DATE' | 'LONG' | 'DOUBLE' | 'BOOL' | 'IP';
type FastOf<F> =
  | Extract<F, { readonly fast: true }>
  | Exclude<Extract<F, { readonly type: FastByDefault }>, { readonly fast: false }>;

/** The types of a definition's fields. `L`: names of those over columns of lists. */
export interface TypesOf<
  N extends string,
  F extends FieldObject,
  V extends string,
  L extends string,
> {
  readonly name: N;
  readonly cached: {
    readonly [X in Extract<F, { readonly cached: true }> as X['name']]: X['name'] extends L
      ? readonly FieldValues[X['type']][]
      : FieldValues[X['type']];
  };
  readonly fast: { readonly [X in FastOf<F> as X['name']]: FieldValues[X['type']] };
  readonly indexed: Exclude<F, VectorObject | { readonly indexed: false }>['name'];
  readonly vectors: Extract<F, VectorObject>['name'];
  readonly paths: V;
}
