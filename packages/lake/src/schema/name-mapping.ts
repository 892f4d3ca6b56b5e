import { type JsonValue, parseJson } from '../base/json.ts';
import { JsonNode } from '../base/json-node.ts';

/**
 * Names that identify a field in files without field ids (format/spec.md, "Name Mapping
 * Serialization").
 */
export interface MappedField {
  /** null: names without an id, whose children may have ids. */
  readonly fieldId: number | null;
  readonly names: readonly string[];
  readonly fields: NameMapping;
}
/**
 * One level of a name mapping: fields of a struct; `element`, or `key` and `value`, of a list or
 * map.
 */
export type NameMapping = readonly MappedField[];

/** The property that holds a table's name mapping as JSON text. */
const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default';

/**
 * The name mapping in `properties`, or null. `file` is named in errors. Throws metadata_invalid.
 */
export function nameMappingOf(
  properties: Readonly<Record<string, string>>,
  file: string,
): NameMapping | null {
  const text = properties[NAME_MAPPING_PROPERTY];
  if (text === undefined) return null;
  let json: JsonValue;
  try {
    json = parseJson(text);
  } catch {
    return new JsonNode(text, NAME_MAPPING_PROPERTY, file).fail('the name mapping is not JSON');
  }
  return parseMapping(new JsonNode(json, NAME_MAPPING_PROPERTY, file));
}

function parseMapping(node: JsonNode): NameMapping {
  const fields = node.items().map((item) =>
    Object.freeze({
      fieldId: item.get('field-id').optional((n) => n.int()),
      names: Object.freeze(
        item
          .get('names')
          .items()
          .map((n) => n.string()),
      ),
      fields: item.get('fields').optional(parseMapping) ?? [],
    }),
  );
  return Object.freeze(fields);
}

/** The field that the mapping gives a file's column `name` at this level, or null. */
export function mappedField(mapping: NameMapping, name: string): MappedField | null {
  return mapping.find((field) => field.names.includes(name)) ?? null;
}
