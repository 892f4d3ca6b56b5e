import type { Json } from '@lakehouse-search/contract';
import type { Type } from '@lakehouse-search/lake';
import { escapePathKey } from '../../schema/variant-terms.ts';

/** A leaf of a flattened column in a row as JSON, by its path as it is indexed. */
export interface JsonLeaf {
  readonly path: string;
  readonly text: string;
  /** A string of the table: words find it. */
  readonly isText: boolean;
}

/** The leaves of a value of a VARIANT, struct or map column; NULL has none. */
export function jsonLeaves(type: Type, json: Json, path = ''): readonly JsonLeaf[] {
  if (json === null) return [];
  const below = (key: string) => (path === '' ? '' : `${path}.`) + escapePathKey(key);
  if (type.kind === 'map') {
    const entries = json as readonly { readonly key: Json; readonly value: Json }[];
    return entries.flatMap(({ key, value }) => jsonLeaves(type.value, value, below(String(key))));
  }
  if (Array.isArray(json)) {
    const element = type.kind === 'list' ? type.element : type;
    return json.flatMap((one: Json) => jsonLeaves(element, one, path));
  }
  if (typeof json !== 'object') {
    const isText = (type.kind === 'string' || type.kind === 'variant') && typeof json === 'string';
    return [{ path, text: String(json), isText }];
  }
  return Object.entries(json).flatMap(([key, value]) => {
    const field = type.kind === 'struct' ? type.fields.find(({ name }) => name === key) : undefined;
    return jsonLeaves(field?.type ?? type, value ?? null, below(key));
  });
}
