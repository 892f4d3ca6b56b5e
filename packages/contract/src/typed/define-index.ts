import type { Alike, UnknownKey } from '../search/unknown-key.ts';
import type { DefinitionObject, FieldObject, VariantObject } from './definition-object.ts';
import type { IndexTypes, TypesOf } from './index-types.ts';

/** A defined index. `T` is known to the compiler alone. */
export interface DefinedIndex<T extends IndexTypes = IndexTypes> {
  /** The member `index` of the definition. */
  readonly name: T['name'];
  /** The definition as YAML. */
  readonly definition: string;
  /** Names of its DOUBLE fields. */
  readonly doubles: readonly string[];
  readonly types?: T;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
/** Refuses keys that no field has. */
type Known<F extends readonly FieldObject[]> = {
  readonly [I in keyof F]: {
    readonly [K in Exclude<keyof F[I], KeysOf<FieldObject>>]: UnknownKey<
      K,
      Alike<K, KeysOf<FieldObject>>
    >;
  };
};

/**
 * Defines an index whose fields the compiler knows: `typed` takes it. `lists`: names of all fields
 * whose columns hold lists. Without it, each field of a hit is a value or a list of values.
 */
export function defineIndex<
  const N extends string,
  const F extends readonly FieldObject[] = [],
  const V extends string = never,
  const L extends F[number]['name'] | undefined = undefined,
>(
  definition: Omit<DefinitionObject, 'index' | 'fields' | 'variants'> & {
    readonly index: N;
    readonly fields?: F & Known<F>;
    readonly variants?: readonly (VariantObject & { readonly column: V })[] | undefined;
  },
  _lists?: { readonly lists: readonly L[] } | undefined,
): DefinedIndex<TypesOf<N, F[number], V, L>> {
  const { index: name, fields = [] } = definition;
  const doubles = fields.filter(({ type }) => type === 'DOUBLE').map((field) => field.name);
  return Object.freeze({ name, definition: definitionText(definition), doubles });
}

/** The YAML of a definition: JSON is YAML. */
export const definitionText = (definition: object): string => JSON.stringify(definition, null, 2);
