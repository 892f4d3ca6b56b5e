import { fieldNameFault } from '../parse/parse-field.ts';

/** Field names by column. */
export type FieldNames = ReadonlyMap<string, string>;

/** The name of the field of a column. */
export const nameOf = (names: FieldNames, column: string): string => names.get(column) ?? column;

/**
 * Names of the fields of some columns of a table: a column keeps its name unless the query syntax
 * cannot write it.
 */
export function fieldNames(all: readonly string[], columns: readonly string[]): FieldNames {
  const taken = new Set(all);
  const illegal = columns.filter((column) => fieldNameFault(column) !== null);
  return new Map(illegal.map((column) => [column, legalName(column, taken)]));
}

/** A field name for a column whose own name the query syntax cannot carry. */
function legalName(column: string, taken: Set<string>): string {
  const words = column.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*/gu) ?? ['field'];
  return freeName(words.join('_').slice(0, 100), taken);
}

/** The name, or with a number behind it if it is taken; it is taken then. */
export function freeName(base: string, taken: Set<string>): string {
  let name = base;
  for (let i = 2; taken.has(name); i++) name = `${base}_${i}`;
  taken.add(name);
  return name;
}
