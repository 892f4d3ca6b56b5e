import { didYouMean } from '@lakehouse-search/contract/internal';
import type { Field, Schema } from '@lakehouse-search/lake';

/** A requirement that the table does not meet, and the part of the definition that has it. */
export type Fault = (
  target:
    | { key: string }
    | { field: string; column?: string; setting?: string }
    | { variant: string }
    | { whole: 1 },
  message: string,
) => void;

/** The columns of a table that a definition uses. */
export interface ColumnTable {
  readonly used: Field[];
  has(name: string): boolean;
  /** Index of the column in `used`, or null (and a fault) where the table has none of that name. */
  use(name: string, target: Parameters<Fault>[0]): number | null;
}

/** A table's columns, of which none is used yet. */
export function columnTable(schema: Schema, table: string, fault: Fault): ColumnTable {
  const used: Field[] = [];
  const byName = new Map(schema.fields.map((field) => [field.name, field]));
  return {
    used,
    has: (name) => byName.has(name),
    use(name, target) {
      const field = byName.get(name);
      if (field === undefined) {
        const near = didYouMean(name, byName.keys());
        fault(target, `column "${name}" is not in ${table}${near}`);
        return null;
      }
      const at = used.indexOf(field);
      return at >= 0 ? at : used.push(field) - 1;
    },
  };
}
