/**
 * A declared path of a flattened variant (`meta.size`, a field of a shape): a clause asks the typed
 * field and the path's terms, so that rows of no shape, and values that the type could not take,
 * are found as at any other path.
 *
 * - Ranges, blocks of addresses and phrases with slop need the type: they ask it alone.
 * - A value that the type cannot take, and a pattern on a type without terms, ask the path alone.
 *   So does every value on a VECTOR.
 * - Words and values of TEXT and KEYWORD keep the typed field's score; what the path alone finds
 *   adds nothing to it. Everything else scores its boost, however it was found.
 */

import type { FieldPlan } from '../../schema/field-plan.ts';
import { parsePeriod } from '../../schema/values/date-period.ts';
import { parseCidr } from '../../schema/values/ip-value.ts';
import { parseFieldValue } from '../../schema/values/values.ts';
import { anyOf, type Clause, constant } from './clause.ts';
import { type FlatPath, hasValues, type QueryFields } from './fields.ts';
import { bindPath } from './path.ts';
import type { BindScope, LeafNode } from './scope.ts';

/** Binds a leaf on the typed field; null: it vanishes. */
type BindTyped = (node: LeafNode, boost: number) => Clause | null;

/** A leaf on a declared path. Throws what `bindTyped` and `bindPath` throw. */
export function bindDeclared(
  node: LeafNode,
  plan: FieldPlan,
  flat: FlatPath,
  boost: number,
  scope: BindScope,
  bindTyped: BindTyped,
): Clause | null {
  if (needsType(node)) return bindTyped(node, boost);
  const part = typedPart(node, plan, scope.fields);
  const scores = part !== null && isScored(node, plan);
  const typed = part === null ? null : bindTyped(part, scores ? boost : 1);
  const path = bindPath(node, flat, scores ? 0 : 1, scope);
  if (scores && typed !== null) return anyOf([typed, path]);
  return constant(typed === null ? path : anyOf([typed, path]), boost);
}

const needsType = (node: LeafNode): boolean =>
  node.kind === 'range' ||
  node.kind === 'cidr' ||
  node.kind === 'phrase_prefix' ||
  (node.kind === 'phrase' && node.slop > 0);

const isScored = (node: LeafNode, plan: FieldPlan): boolean =>
  (plan.type === 'TEXT' || plan.type === 'KEYWORD') &&
  (node.kind === 'term' || node.kind === 'phrase' || node.kind === 'match');

/** What of a leaf the typed field can be asked; null: nothing. */
function typedPart(node: LeafNode, plan: FieldPlan, fields: QueryFields): LeafNode | null {
  const textual = plan.type === 'TEXT' || plan.type === 'KEYWORD';
  const vectorExists = node.kind === 'exists' && plan.vector !== undefined;
  if (!hasValues(fields, plan) && !vectorExists) return null;
  switch (node.kind) {
    case 'exists':
      return node;
    case 'term':
    case 'phrase':
    case 'match':
      return takes(plan, node.value) ? node : null;
    case 'terms': {
      const values = node.values.filter((value) => takes(plan, value));
      return values.length === 0 ? null : { ...node, values };
    }
    default:
      return textual ? node : null;
  }
}

function takes({ type }: FieldPlan, value: string): boolean {
  if (type === 'TEXT') return true;
  if (type === 'DATE') return parsePeriod(value) !== null;
  if (type === 'IP' && value.includes('/')) return parseCidr(value) !== null;
  return parseFieldValue(type, value) !== null;
}
