import { readComparison } from '../query/bind/comparison.ts';
import { findField, nearestFieldName, type QueryFields } from '../query/bind/fields.ts';
import type { Query } from '../query/query.ts';
import { escapeField } from '../query/syntax/characters.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * What somebody probably meant by a clause that finds nothing, as a query string; undefined: there
 * is no such guess. `severity>=3` was meant as a range of the field `severity`, or of the nearest
 * one if there is none of that name, and the day of a DATE as the whole day, not its first instant.
 * `written`: the clause in the query string.
 */
export function respelled(node: Query, written: string, fields: QueryFields): string | undefined {
  if (node.kind !== 'term') return undefined;
  const target = findField(fields, node.field);
  if (target?.kind === 'field' && target.plan.type === 'DATE' && DAY.test(node.value)) {
    return `${escapeField(node.field)}:${node.value}/d`;
  }
  const comparison = readComparison(written);
  if (comparison === null) return undefined;
  const { name } = comparison;
  const meant = findField(fields, name) === undefined ? nearestFieldName(fields, name) : name;
  return comparison.clause(meant ?? name);
}
