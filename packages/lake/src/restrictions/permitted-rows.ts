import { type Field, MapValue, type StructValue, type Type, type Value } from '../schema/type.ts';
import { columnMask, type Mask } from './column-mask.ts';
import { isMasked, maskRefused, type ReadRestrictions } from './read-restrictions.ts';

/** How columns are read under restrictions. */
export interface PermittedColumns {
  /** The columns to read: those that the caller reads, then further ones of the row filter. */
  readonly fields: readonly Field[];
  /** Whether a row passes whose stored values of `fields` are given; null: every row does. */
  readonly accepts: ((values: readonly Value[]) => boolean) | null;
  /** The masks of the caller's columns, in their order; null: the column is not masked. */
  readonly masks: readonly (Mask | null)[];
}

/** Plans a read of columns. Throws unsupported for a mask that cannot be applied. */
export function permittedColumns(
  restrictions: ReadRestrictions | undefined,
  requested: readonly Field[],
): PermittedColumns {
  if (restrictions === undefined) {
    return { fields: requested, accepts: null, masks: requested.map(() => null) };
  }
  const { rows, actions } = restrictions;
  const masks = requested.map((field) =>
    isMasked(field, actions) ? maskOf(field, actions) : null,
  );
  if (rows === null) return { fields: requested, accepts: null, masks };
  // A column of the filter is read in the type of the schema by which the filter is bound.
  const fields = [...requested, ...rows.fields];
  const from = requested.length;
  return { fields, accepts: (values) => rows.accepts(values.slice(from)), masks };
}

function maskOf(field: Field, actions: ReadonlyMap<number, string>): Mask {
  const action = actions.get(field.id);
  if (action === undefined) return inner(field.type, actions);
  const mask = columnMask(action, field);
  if (typeof mask === 'string') throw maskRefused(mask);
  return mask;
}

/** The mask of a column in which fields are masked. */
function inner(type: Type, actions: ReadonlyMap<number, string>): Mask {
  if (type.kind === 'struct') return structMask(type.fields, actions);
  if (type.kind === 'list') {
    const { elementId: id, element, elementRequired: required } = type;
    const mask = maskOf({ id, name: 'element', type: element, required }, actions);
    return (value) => (value === null ? null : (value as readonly Value[]).map(mask));
  }
  if (type.kind !== 'map') return (value) => value;
  const { valueId: id, value: held, valueRequired: required } = type;
  const mask = maskOf({ id, name: 'value', type: held, required }, actions);
  return (value) => {
    if (value === null) return null;
    return new MapValue((value as MapValue).entries.map(([key, own]) => [key, mask(own)] as const));
  };
}

function structMask(fields: readonly Field[], actions: ReadonlyMap<number, string>): Mask {
  const masks = fields.map((field) => (isMasked(field, actions) ? maskOf(field, actions) : null));
  return (value) => {
    if (value === null) return null;
    const struct = value as StructValue;
    return Object.fromEntries(
      fields.map(({ name }, i) => [name, masked(masks[i], struct[name] ?? null)]),
    );
  };
}

/** The value behind a mask, if there is one. */
export const masked = (mask: Mask | null, value: Value): Value =>
  mask === null ? value : mask(value);
