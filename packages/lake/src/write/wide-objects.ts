import { LIMITS } from '../base/limits.ts';

/** A column as DuckDB describes it. */
export interface DescribedType {
  readonly name: string;
  readonly sql: string;
}

/**
 * The columns whose objects have too many different keys (`importLeaves`), those with the most keys
 * first, until the others are few enough: DuckDB takes minutes for expressions over thousands of
 * fields.
 */
export function wideObjects(columns: readonly DescribedType[]): ReadonlySet<DescribedType> {
  const nested = columns
    .filter(({ sql }) => sql.includes('STRUCT('))
    .map((column) => ({ column, keys: keysOf(column) }))
    .sort((a, b) => b.keys - a.keys);
  let rest = nested.reduce((sum, { keys }) => sum + keys, 0);
  const wide = new Set<DescribedType>();
  for (const { column, keys } of nested) {
    if (rest <= LIMITS.importLeaves) break;
    wide.add(column);
    rest -= keys;
  }
  return wide;
}

/** About the number of values that a type has in a row. */
const keysOf = ({ sql }: DescribedType): number => sql.split(', ').length;
