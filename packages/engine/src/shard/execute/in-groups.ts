import type { SortValue } from '../../collect/order.ts';
import type { BoolClause, Clause, Leaf } from '../../query/bind/clause.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';

const NO_PARTS = { must: [], should: [], mustNot: [], filter: [], minimum: 0 } as const;

/**
 * The documents of a clause that have one of some values in a field with a column; null stands for
 * the documents without a value. Scores are those of the clause.
 */
export function inGroups(
  clause: Clause,
  field: FieldPlan,
  values: readonly SortValue[],
): BoolClause {
  const exists: Leaf = { kind: 'exists', boost: 1, field };
  const should = values.map((value): Clause => {
    if (value === null) return { kind: 'bool', ...NO_PARTS, mustNot: [exists] };
    if (value instanceof Uint8Array) {
      const bound = { bytes: value, inclusive: true };
      return { kind: 'span', boost: 1, field, lower: bound, upper: bound };
    }
    const number = BigInt(value);
    return { kind: 'numbers', boost: 1, field, ranges: [{ lower: number, upper: number }] };
  });
  const any: Clause = { kind: 'bool', ...NO_PARTS, should, minimum: 1 };
  return { kind: 'bool', ...NO_PARTS, must: [clause], filter: [any] };
}
