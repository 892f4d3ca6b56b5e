import { LhsError } from '@lakehouse-search/contract';
import type { Field, Schema, Type } from '@lakehouse-search/lake';
import { typeName } from '../schema/column-rules.ts';
import { isRowKey } from '../schema/keys/row-key.ts';
import type { Mapping } from '../schema/mapping.ts';

/**
 * The bound schema: the columns that an index uses, under the names of its definition, by Iceberg
 * field id. A definition's names are bound to ids when the index is built; from then on the table
 * may rename and widen them. Nothing else of the table has a place in it, so that a column that
 * takes an old name is never confused with the one that had it.
 */
export function boundSchema(mapping: Mapping, table: Schema): Schema {
  const ids = new Set(mapping.columns.map(({ id }) => id));
  return {
    schemaId: table.schemaId,
    fields: mapping.columns,
    identifierFieldIds: table.identifierFieldIds.filter((id) => ids.has(id)),
  };
}

/** A column of the definition that a table cannot give any more, and what became of it. */
export interface LostColumn {
  readonly name: string;
  readonly id: number;
  readonly why: string;
}

/** The bound columns in another schema of the table: all of them, or the first that is lost. */
export type Binding =
  | { readonly schema: Schema; readonly lost?: undefined }
  | { readonly lost: LostColumn };

/**
 * The bound columns as `table` has them: found by id, whatever they are called there, in the wider
 * of both types. int -> long, float -> double and more digits of a decimal are followed: keys and
 * row hashes stay as they are.
 */
export function followColumns(bound: Schema, table: Schema): Binding {
  const byId = new Map(table.fields.map((field) => [field.id, field]));
  const fields: Field[] = [];
  for (const column of bound.fields) {
    const now = byId.get(column.id);
    if (now === undefined) return { lost: lostColumn(column, table) };
    const type = widerType(column.type, now.type);
    if (type === null) {
      const why = `is ${typeName(now.type)} now, not ${typeName(column.type)}`;
      return { lost: { name: column.name, id: column.id, why } };
    }
    fields.push(followed(column, now, type));
  }
  const { identifierFieldIds } = bound;
  return { schema: { schemaId: table.schemaId, fields, identifierFieldIds } };
}

function followed(column: Field, now: Field, type: Type): Field {
  if (type === now.type) return { ...now, name: column.name };
  return { id: now.id, name: column.name, required: now.required, type };
}

const NEW_FORMAT = 'does not tell rows apart any more: the table has another format version';

function lostColumn({ id, name }: Field, table: Schema): LostColumn {
  const other = table.fields.find((field) => field.name === name);
  if (isRowKey({ id })) return { name, id, why: NEW_FORMAT };
  const why =
    other === undefined
      ? 'was dropped'
      : `was replaced by another column of that name (field id ${other.id}, the index ` +
        `follows ${id})`;
  return { name, id, why };
}

/**
 * The type that holds the values of both, or null where no promotion leads from one to the other.
 */
function widerType(a: Type, b: Type): Type | null {
  if (widensTo(a, b)) return b;
  return widensTo(b, a) ? a : null;
}

function widensTo(from: Type, to: Type): boolean {
  if (from.kind === 'list' && to.kind === 'list') return widensTo(from.element, to.element);
  if (from.kind === 'decimal' && to.kind === 'decimal') {
    return from.scale === to.scale && from.precision <= to.precision;
  }
  if (from.kind === 'fixed' && to.kind === 'fixed') return from.length === to.length;
  if (from.kind === to.kind) return true;
  return (
    (from.kind === 'int' && to.kind === 'long') || (from.kind === 'float' && to.kind === 'double')
  );
}

/** The table changed a column that the index needs. `snapshot`: the first that lacks it. */
export function schemaChanged(
  index: string,
  lost: LostColumn,
  snapshot: string | null,
  checkpoint: string | null,
): LhsError {
  const { name, why } = lost;
  const message = `column "${name}" ${why} in snapshot ${snapshot}: index "${index}" uses it`;
  return new LhsError('schema_changed', message, {
    hint: `the index stays at snapshot ${checkpoint}; change its definition, then build it again`,
    next: [{ step: 'reindex', index }],
    details: { column: lost.name, field_id: lost.id, snapshot, checkpoint },
  });
}
