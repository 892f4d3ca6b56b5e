import { LIMITS } from '../../base/limits.ts';

/** A column as DuckDB describes it. */
export interface DescribedType {
  readonly name: string;
  readonly sql: string;
}

/** A column of objects, and how many keys are inside of them. */
interface CountedKeys {
  readonly name: string;
  readonly keys: number;
}

/**
 * The columns whose objects have too many keys (more than `most` in all), those with the most keys
 * first, until the others are few enough: DuckDB takes minutes for expressions over thousands of
 * fields.
 */
export function wideObjects<T extends CountedKeys>(
  columns: readonly T[],
  most: number = LIMITS.importLeaves,
): readonly T[] {
  let rest = columns.reduce((sum, { keys }) => sum + keys, 0);
  return columns
    .toSorted((a, b) => b.keys - a.keys)
    .filter(({ keys }) => {
      const isWide = rest > most;
      if (isWide) rest -= keys;
      return isWide;
    });
}

/** The columns that have objects, with about the number of values that a row has of them. */
export const withKeyCounts = (columns: readonly DescribedType[]): readonly CountedKeys[] =>
  columns
    .filter(({ sql }) => sql.includes('STRUCT('))
    .map(({ name, sql }) => ({ name, keys: sql.split(', ').length }));
