import type { JsonNode } from '../base/json-node.ts';
import { childFields } from '../schema/field-lookup.ts';
import type { Field, Schema, Type } from '../schema/type.ts';

/** A column or a field in its structs. */
export interface FoundColumn {
  /** The column of the table. */
  readonly top: Field;
  /** The names that lead from it to the field. */
  readonly path: readonly string[];
  readonly type: Type;
}

/** The columns that a row filter may name. */
export interface TableColumns {
  /** The column of a reference by id or name; null: there is none, or it is in a list or map. */
  find(reference: JsonNode): FoundColumn | null;
}

/**
 * The columns of a table: references by id find a column of the current schema, else of the latest
 * schema that has it; references by name are resolved in the current schema.
 */
export function tableColumns(current: Schema, schemas: readonly Schema[]): TableColumns {
  const newestFirst = [current, ...schemas.toReversed()];
  return {
    find(reference) {
      if (typeof reference.value === 'string') return byName(current, reference.value);
      const id = reference.get('id');
      if (id.present) return byId(newestFirst, id.int());
      const name = reference.get('name');
      return byName(current, (name.present ? name : reference.get('term')).string());
    },
  };
}

function byId(schemas: readonly Schema[], id: number): FoundColumn | null {
  for (const { fields } of schemas) {
    for (const top of fields) {
      const found = within(top, id);
      if (found !== null) return { top, ...found };
    }
  }
  return null;
}

function within(field: Field, id: number): Omit<FoundColumn, 'top'> | null {
  if (field.id === id) return { path: [], type: field.type };
  if (field.type.kind !== 'struct') return null;
  for (const inner of childFields(field.type)) {
    const found = within(inner, id);
    if (found !== null) return { ...found, path: [inner.name, ...found.path] };
  }
  return null;
}

function byName({ fields }: Schema, name: string): FoundColumn | null {
  const top = fields.find((field) => field.name === name);
  if (top !== undefined) return { top, path: [], type: top.type };
  const [first, ...path] = name.split('.');
  const outer = fields.find((field) => field.name === first);
  return outer === undefined ? null : descend(outer, path);
}

function descend(top: Field, path: readonly string[]): FoundColumn | null {
  let { type } = top;
  for (const name of path) {
    const inner = type.kind === 'struct' ? type.fields.find((one) => one.name === name) : undefined;
    if (inner === undefined) return null;
    ({ type } = inner);
  }
  return { top, path, type };
}
