import type { Value } from '../schema/type.ts';

/**
 * A condition that scan planning understands, over top-level columns by field id. It may be weaker
 * than the query's condition (a clause of `and` that cannot be expressed is left out), never
 * stronger: files that it rules out are not read.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | {
      readonly kind: 'compare';
      readonly fieldId: number;
      readonly op: '=' | '<' | '<=' | '>' | '>=';
      /**
       * A value of the column's current type; never null (a comparison with NULL admits no row).
       */
      readonly value: Exclude<Value, null>;
    }
  | {
      readonly kind: 'in';
      readonly fieldId: number;
      readonly values: readonly Exclude<Value, null>[];
    }
  | { readonly kind: 'is-null'; readonly fieldId: number }
  | { readonly kind: 'not-null'; readonly fieldId: number };
