import type { DefinitionObject, FieldObject, VariantObject } from './definition-object.ts';
import type { IndexTypes, TypesOf } from './index-types.ts';

/** A defined index. `T` is known to the compiler alone. */
export interface DefinedIndex<T extends IndexTypes> {
  readonly name: T['name'];
  /** The definition as YAML, for `createIndex`, `alterIndex` and `validateDefinition`. */
  readonly definition: string;
  readonly types?: T;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
/** Refuses keys that no field has. */
type Known<F extends readonly FieldObject[]> = {
  readonly [I in keyof F]: {
    readonly [K in Exclude<keyof F[I], KeysOf<FieldObject>>]: never;
  };
};

/**
 * Defines an index whose fields the compiler knows: `typed` takes it. `lists`: names of fields
 * whose columns hold lists.
 */
export function defineIndex<
  const N extends string,
  const F extends readonly FieldObject[] = [],
  const V extends string = never,
  const L extends F[number]['name'] = never,
>(
  definition: Omit<DefinitionObject, 'index' | 'fields' | 'variants'> & {
    readonly index: N;
    readonly fields?: F & Known<F>;
    readonly variants?: readonly (VariantObject & { readonly column: V })[] | undefined;
  },
  _lists?: { readonly lists: readonly L[] },
): DefinedIndex<TypesOf<N, F[number], V, L>> {
  // JSON is YAML
  const text = JSON.stringify(definition, null, 2);
  return Object.freeze({ name: definition.index, definition: text });
}
