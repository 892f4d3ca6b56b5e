import { findField, type QueryFields } from '../../../query/bind/fields.ts';
import type { Query } from '../../../query/query.ts';

/** A date without smaller parts, of which a query means the first instant. */
const WHOLE =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?<second>:\d\d)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?|(?<day>))$/i;

/**
 * The clause of the day, minute or second that a value or an upper bound of a DATE names, whose
 * first instant it means; undefined: it names none.
 */
export function wholePeriod<Node extends Query>(node: Node, fields: QueryFields): Node | undefined {
  const target = 'field' in node ? findField(fields, node.field) : undefined;
  if (target?.kind !== 'field' || target.plan.type !== 'DATE') return undefined;
  if (node.kind === 'term' || node.kind === 'phrase') {
    const value = withUnit(node.value);
    return value === undefined ? undefined : { ...node, value };
  }
  if (node.kind !== 'range' || node.upper?.inclusive !== true) return undefined;
  const value = withUnit(node.upper.value);
  return value === undefined ? undefined : { ...node, upper: { value, inclusive: true } };
}

function withUnit(date: string): string | undefined {
  const parts = WHOLE.exec(date)?.groups;
  if (parts === undefined) return undefined;
  if (parts.day !== undefined) return `${date}/d`;
  return `${date}/${parts.second === undefined ? 'm' : 's'}`;
}
