/**
 * `city:=Springfield` asks for whole values. They are looked up with and without the sign, which a
 * value may begin with; those of a TEXT field in the KEYWORD field of the same column.
 */
import type { FieldPlan } from '../../schema/field-plan.ts';
import { findField } from './fields.ts';
import type { BindScope, LeafNode } from './scope.ts';

type Term = LeafNode & { readonly kind: 'term' };

/** The clauses of a whole value; undefined: the clause does not begin its value with `=`. */
export function wholeValues(node: LeafNode, { text }: BindScope): readonly Term[] | undefined {
  const { span, fieldSpan } = node;
  if (node.kind !== 'term' || !span || !fieldSpan || text === null) return undefined;
  const written = text.slice(Math.max(span.from, fieldSpan.to), span.to);
  const value = /^==?(.+)$/s.exec(node.value)?.[1];
  // a backslash before the sign makes it part of the value
  return value === undefined || !/^\s*:?\s*=/.test(written)
    ? undefined
    : [node, { ...node, value }];
}

/** The field with the whole values of another, with a note on which values are compared. */
export function wholeField(
  { span }: Term,
  plan: FieldPlan,
  { fields, text, notes }: BindScope,
): FieldPlan | undefined {
  if (plan.type !== 'TEXT') return plan.type === 'KEYWORD' ? plan : undefined;
  const exact = fields.exact?.get(plan.id);
  const target = exact === undefined ? undefined : findField(fields, exact);
  const written = text?.slice(span?.from, span?.to);
  notes.push(
    target === undefined
      ? `${written} finds words of ${plan.name}: no field has its whole values`
      : `${written} compares whole values: those of ${exact}`,
  );
  return target?.plan;
}
