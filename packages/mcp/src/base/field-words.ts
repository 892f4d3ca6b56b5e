import type { FieldDescription, IndexDescription } from '@lakehouse-search/contract';

/** Fields that are named unless more are wanted. */
const FIELDS = 60;

/** The fields of an index with their types and what the definition says of them. */
export function fieldList({ fields }: IndexDescription, most: number = FIELDS): string {
  const words = fields.slice(0, most).map((field) => `${field.name} ${about(field)}`);
  return words.join(', ') + (fields.length > most ? ', …' : '');
}

function about({ type, fast, description }: FieldDescription): string {
  const can = type === 'VECTOR' ? ' for semantic search' : fast ? ' sortable' : '';
  return `(${type}${can}${description === undefined ? '' : `: ${description}`})`;
}
