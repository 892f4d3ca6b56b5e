import type { FieldPlan } from '../../schema/field-plan.ts';

/** The field's name as a user may write it: of a variant's paths, the column's. */
export function shownField(field: FieldPlan): string {
  return field.name.replace(/#paths$/, '');
}

/** A term's text: of a variant's path, `path = value`. */
export function shownTerm(field: FieldPlan, term: Uint8Array): string {
  const text = Buffer.from(term).toString();
  return field.name.endsWith('#paths') ? text.replace('\u0000', ' = ') : text;
}

/** `field:term`. */
export function termName(field: FieldPlan, term: Uint8Array): string {
  return `${shownField(field)}:${shownTerm(field, term)}`;
}
