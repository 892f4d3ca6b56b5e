import type { IndexDescription, Json, JsonObject } from '@lakehouse-search/contract';
import { isPlain } from '@lakehouse-search/contract/internal';

/** A path inside a nested column of the table. */
export interface RowPath {
  readonly column: string;
  readonly path: string;
}

/** The path that a name such as `details.kind` means; undefined: it is a column's own name. */
export function rowPath(
  name: string,
  { fields, variants }: Pick<IndexDescription, 'fields' | 'variants'>,
): RowPath | undefined {
  if (fields.some(({ source }) => source.includes(name))) return undefined;
  const found = variants.find(({ column }) => name.startsWith(`${column}.`));
  if (found === undefined) return undefined;
  return { column: found.column, path: name.slice(found.column.length + 1) };
}

/** The values at a path: one alone is itself, several of a list are a list, null: there is none. */
export function valueAt(value: Json | undefined, path: string): Json {
  const found = [...valuesAt(value, path)];
  return found.length > 1 ? found : (found[0] ?? null);
}

/** As the index flattens: lists add nothing to a path, and the entries of a map are its keys. */
function* valuesAt(value: Json | undefined, path: string): Generator<Json> {
  if (Array.isArray(value)) {
    for (const part of value as readonly Json[]) {
      const { key, value: inner } = isPlain(part) ? (part as JsonObject) : {};
      if (inner !== undefined) yield* membersAt({ [String(key)]: inner }, path);
      yield* valuesAt(part, path);
    }
  } else if (isPlain(value)) yield* membersAt(value as JsonObject, path);
}

function* membersAt(members: JsonObject, path: string): Generator<Json> {
  for (const [name, member] of Object.entries(members)) {
    if (name === path) yield member;
    else if (path.startsWith(`${name}.`)) yield* valuesAt(member, path.slice(name.length + 1));
  }
}
