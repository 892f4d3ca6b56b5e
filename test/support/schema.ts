import type { Field, PrimitiveKind, Schema, Type } from '@lakehouse-search/lake';

type Columns = Readonly<Record<string, PrimitiveKind | Type>>;

/** A schema of these columns, with ids from 1 on. The first one is required, and the identifier. */
export function schemaOf(columns: Columns): Schema {
  const [first, ...others] = optional(columns, 1);
  return {
    ...{ schemaId: 0, identifierFieldIds: [1] },
    fields: [{ ...first!, required: true }, ...others],
  };
}

/** A struct of these columns, with ids from `id` on. */
export const structOf = (id: number, columns: Columns): Type => {
  return { kind: 'struct', fields: optional(columns, id) };
};

/** A list of floats. */
export const FLOATS: Type = {
  ...{ kind: 'list', elementId: 100, elementRequired: true, element: { kind: 'float' } },
};

const optional = (columns: Columns, from: number): Field[] =>
  Object.entries(columns).map(([name, type], i) => ({
    ...{ id: from + i, name, required: false },
    type: typeof type === 'string' ? { kind: type } : type,
  }));
