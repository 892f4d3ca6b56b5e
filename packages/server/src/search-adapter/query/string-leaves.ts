/** Clauses of query strings: words, phrases and patterns, each in all fields of its place. */
import type { JsonObject } from '@lakehouse-search/contract';
import { dateBounds, dateTerm } from './date-tree.ts';
import type { TableField } from './field-table.ts';
import { fitsField } from './fitting-value.ts';
import type { WeightedField } from './multi-match.ts';
import { editsOfValue } from './options.ts';
import { regexpTree } from './patterns.ts';
import { bestOf, boosted, type QueryScope, type Tree } from './scope.ts';
import { isExact } from './target.ts';

/** What the clauses of one query string share. */
export interface StringReading {
  readonly scope: QueryScope;
  readonly operator: 'and' | 'or';
  /** How much fields other than the best one count. */
  readonly tie: number;
  readonly slop: number;
  /** Edits of `word~`. */
  readonly edits: number | 'auto';
  readonly prefixLength: number;
  readonly timeZone: string | undefined;
  /** Values that do not fit a field find nothing there. */
  readonly isLenient: boolean;
}

/** One clause, before it is known in which fields. */
export type StringLeaf =
  | { readonly kind: 'words' | 'wildcard' | 'regex' | 'prefix'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string; readonly slop?: number | undefined }
  | { readonly kind: 'fuzzy'; readonly text: string; readonly edits?: number | undefined }
  | { readonly kind: 'range'; readonly bounds: JsonObject }
  | { readonly kind: 'exists' };

/** The tree of a clause in some fields; none of them: it finds nothing. Throws RefusedDsl. */
export function leafTree(
  leaf: StringLeaf,
  fields: readonly WeightedField[],
  reading: StringReading,
): Tree {
  const trees = fields
    .filter(({ field }) => !reading.isLenient || fitsLeaf(leaf, field, reading))
    .map(({ field, boost }) => boosted(fieldTree(leaf, field, reading), boost));
  return bestOf(trees, reading.tie);
}

/** Whether a clause can be one of a field. */
function fitsLeaf(leaf: StringLeaf, field: TableField, { scope }: StringReading): boolean {
  if (field.type === 'TEXT' || isExact(field) || leaf.kind === 'exists') return true;
  if (leaf.kind === 'prefix' || leaf.kind === 'wildcard' || leaf.kind === 'regex') return false;
  const texts = leaf.kind === 'range' ? Object.values(leaf.bounds).map(String) : [leaf.text];
  return texts.every((text) => fitsField(field, text, scope));
}

function fieldTree(leaf: StringLeaf, field: TableField, reading: StringReading): Tree {
  const { name } = field;
  switch (leaf.kind) {
    case 'words':
      return wordsTree(field, leaf.text, reading);
    case 'phrase':
      return phraseTree(field, leaf, reading);
    case 'prefix':
    case 'wildcard':
      return { [leaf.kind]: { field: name, value: leaf.text } } as Tree;
    case 'regex':
      return regexpTree(field, leaf.text, {});
    case 'fuzzy':
      return fuzzyTree(field, leaf, reading);
    case 'exists':
      return { exists: { field: name } };
    case 'range':
      return { range: { field: name, ...boundsOf(field, leaf.bounds, reading) } };
  }
}

function boundsOf(field: TableField, bounds: JsonObject, { timeZone, scope }: StringReading) {
  return field.type === 'DATE' ? dateBounds(field, bounds, { timeZone }, scope) : bounds;
}

function wordsTree(field: TableField, text: string, { operator, scope }: StringReading): Tree {
  if (field.type === 'DATE') return dateTerm(field, text, {}, scope);
  const value = { field: field.name, value: text };
  if (field.type !== 'TEXT') return { term: value };
  return { match: operator === 'and' ? { ...value, operator } : value };
}

function phraseTree(
  field: TableField,
  { text, slop }: StringLeaf & { readonly kind: 'phrase' },
  reading: StringReading,
): Tree {
  if (field.type !== 'TEXT') return wordsTree(field, text, reading);
  const places = slop ?? reading.slop;
  return { phrase: { field: field.name, value: text, ...(places > 0 && { slop: places }) } };
}

function fuzzyTree(
  field: TableField,
  { text, edits }: StringLeaf & { readonly kind: 'fuzzy' },
  reading: StringReading,
): Tree {
  if (field.type !== 'TEXT' && !isExact(field)) return wordsTree(field, text, reading);
  const exact = reading.prefixLength;
  const value = {
    field: field.name,
    value: text,
    edits: edits ?? editsOfValue(reading.edits, text),
  };
  return { fuzzy: { ...value, ...(exact > 0 && { prefix_length: exact }) } };
}
