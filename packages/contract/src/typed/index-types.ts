import type { Json } from '../json.ts';
import type { FieldObject, VectorObject } from './definition-object.ts';

/** What types an index has: its fields by what they can do. */
export interface IndexTypes {
  readonly name: string;
  /** Fields that hits have, with their values. */
  readonly cached: Readonly<Record<string, Json>>;
  /** Fields that sort, group and have facets. */
  readonly fast: Readonly<Record<string, FieldType>>;
  /** Fields that queries search. */
  readonly indexed: Readonly<Record<string, FieldType>>;
  /** Names of VECTOR fields. */
  readonly vectors: string;
  /** Names of columns whose paths are fields: `meta.user.id`. */
  readonly paths: string;
}

/** A value of a field as typed reads return it. A whole number beyond 2^53 is a text. */
export interface FieldValues {
  readonly TEXT: string;
  readonly KEYWORD: string;
  readonly LONG: number | string;
  readonly DOUBLE: number;
  /** ISO 8601 with microseconds. */
  readonly DATE: string;
  readonly IP: string;
  readonly BOOL: boolean;
  readonly VECTOR: readonly number[];
}

/** A type of fields. */
export type FieldType = keyof FieldValues;

type FastByDefault = 'DATE' | 'LONG' | 'DOUBLE' | 'BOOL' | 'IP';
type FastOf<F> =
  | Extract<F, { readonly fast: true }>
  | Exclude<Extract<F, { readonly type: FastByDefault }>, { readonly fast: false }>;

type Whole<F extends FieldObject> = FieldValues[F['type']];
/** What hits have of a field. `L`: names of fields over lists; undefined: they are not known. */
type CachedValue<F extends FieldObject, L extends string | undefined> = [L] extends [string]
  ? F['name'] extends L
    ? readonly Whole<F>[]
    : Whole<F>
  : Whole<F> | readonly Whole<F>[];

/**
 * The types of a definition's fields. `L`: names of those over columns of lists; undefined: each
 * column may hold lists.
 */
export interface TypesOf<
  N extends string,
  F extends FieldObject,
  V extends string,
  L extends string | undefined,
> {
  readonly name: N;
  readonly cached: {
    readonly [X in Extract<F, { readonly cached: true }> as X['name']]: CachedValue<X, L>;
  };
  readonly fast: { readonly [X in FastOf<F> as X['name']]: X['type'] };
  readonly indexed: {
    readonly [X in Exclude<F, VectorObject | { readonly indexed: false }> as X['name']]: X['type'];
  };
  readonly vectors: Extract<F, VectorObject>['name'];
  readonly paths: V;
}
