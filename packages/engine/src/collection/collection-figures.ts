import type { NumberRules } from '@lakehouse-search/contract/internal';
import type { Column } from './columns.ts';

type Scalar = number | string | boolean | null | undefined;

/** Results whose figures and keys of numbers are numbers only; the bounds of ranges stay. */
export type Figures<T> = [T] extends [Scalar]
  ? number extends T
    ? Exclude<T, string>
    : T
  : T extends object
    ? { readonly [K in keyof T]: K extends 'from' | 'to' ? T[K] : Figures<T[K]> }
    : T;

/**
 * Texts that stand for infinities, and for whole numbers beyond 2^53, which are rounded, become
 * numbers.
 */
export const numberRules = (columns: ReadonlyMap<string, Column>): NumberRules => ({
  isNumeric(field) {
    const kind = columns.get(field)?.kind;
    return kind === 'integer' || kind === 'number';
  },
  toNumber: (value) => (typeof value === 'string' ? Number(value) : value),
});
