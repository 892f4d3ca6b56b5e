import { formatJson, type JsonObject, type JsonValue } from '../base/json.ts';
import type { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import { defaultToJson, parseDefault } from './default-json.ts';
import {
  type Field,
  isReadable,
  PRIMITIVE_KINDS,
  type PrimitiveKind,
  type Schema,
  type StructType,
  type Type,
} from './type.ts';

/** Schemas as JSON (format/spec.md, Appendix C, "Schemas" and "Data Types"). */

const PRIMITIVES: ReadonlySet<string> = new Set(PRIMITIVE_KINDS);

interface Context {
  readonly ids: Set<number>;
  /** The top-level column that is being parsed; null for a type alone. */
  column: string | null;
  levels: number;
}

/**
 * A schema of table metadata, manifests or a REST answer. The schema id is 0 if the JSON
 * names none (v1). Types that are not read, such as geometry and those of later formats, are
 * `unsupported`. Throws the node's code for a wrong shape.
 */
export function parseSchema(node: JsonNode): Schema {
  const context: Context = { ids: new Set(), column: null, levels: 0 };
  const fields = parseFields(node, context);
  const schemaId = node.get('schema-id').optional((n) => n.int()) ?? 0;
  const identifiers = node
    .get('identifier-field-ids')
    .optional((list) => list.items().map((item) => item.int()));
  for (const id of identifiers ?? []) {
    if (!context.ids.has(id)) node.fail(`identifier field id ${id} is not in schema ${schemaId}`);
  }
  return Object.freeze({ schemaId, fields, identifierFieldIds: Object.freeze(identifiers ?? []) });
}

function parseFields(node: JsonNode, context: Context): readonly Field[] {
  const names = new Set<string>();
  const fields = node
    .get('fields')
    .items()
    .map((item) => {
      const field = parseField(item, context);
      if (names.has(field.name)) item.fail(`field name "${field.name}" occurs twice`);
      names.add(field.name);
      return field;
    });
  return Object.freeze(fields);
}

function claim(node: JsonNode, context: Context): number {
  const id = node.int();
  if (context.ids.has(id)) node.fail(`field id ${id} occurs twice`);
  context.ids.add(id);
  if (context.ids.size > LIMITS.schemaFields) {
    node.fail(`more than ${LIMITS.schemaFields} fields`, 'limit_exceeded');
  }
  return id;
}

function parseField(node: JsonNode, context: Context): Field {
  const id = claim(node.get('id'), context);
  const name = node.get('name').string();
  if (context.levels === 0) context.column = name;
  const required = node.get('required').boolean();
  const type = parseTypeIn(node.get('type'), context);
  const doc = node.get('doc').optional((n) => n.string());
  const initial = node.get('initial-default');
  const write = node.get('write-default');
  const known = isReadable(type);
  return Object.freeze({
    id,
    name,
    required,
    type,
    ...(doc === null ? {} : { doc }),
    ...(initial.present && known ? { initialDefault: parseDefault(type, initial) } : {}),
    ...(write.present && known ? { writeDefault: parseDefault(type, write) } : {}),
  });
}

function parseTypeIn(node: JsonNode, context: Context): Type {
  if (typeof node.value === 'string') return parsePrimitive(node, node.value);
  if (++context.levels > LIMITS.nestedLevels) {
    const what = context.column === null ? 'a type' : `column "${context.column}"`;
    node.fail(`${what} is nested deeper than ${LIMITS.nestedLevels} levels`, 'limit_exceeded');
  }
  const type = parseNested(node, context);
  context.levels--;
  return type;
}

function parseNested(node: JsonNode, context: Context): Type {
  const kind = node.get('type').string();
  switch (kind) {
    case 'struct':
      return Object.freeze({ kind, fields: parseFields(node, context) });
    case 'list':
      return Object.freeze({
        kind,
        elementId: claim(node.get('element-id'), context),
        elementRequired: node.get('element-required').boolean(),
        element: parseTypeIn(node.get('element'), context),
      });
    case 'map':
      return Object.freeze({
        kind,
        keyId: claim(node.get('key-id'), context),
        key: parseTypeIn(node.get('key'), context),
        valueId: claim(node.get('value-id'), context),
        valueRequired: node.get('value-required').boolean(),
        value: parseTypeIn(node.get('value'), context),
      });
    default:
      return Object.freeze({ kind: 'unsupported', json: node.object() });
  }
}

function parsePrimitive(node: JsonNode, text: string): Type {
  if (PRIMITIVES.has(text)) return Object.freeze({ kind: text as PrimitiveKind });
  const decimal = /^decimal\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\)$/.exec(text);
  if (decimal) return decimalType(node, Number(decimal[1]), Number(decimal[2]));
  const fixed = /^fixed\[\s*(\d{1,9})\s*\]$/.exec(text);
  if (fixed) return Object.freeze({ kind: 'fixed', length: Number(fixed[1]) });
  return Object.freeze({ kind: 'unsupported', json: text });
}

function decimalType(node: JsonNode, precision: number, scale: number): Type {
  if (precision < 1 || precision > LIMITS.decimalDigits || scale > precision) {
    node.fail(`decimal(${precision}, ${scale}) is not a decimal of at most 38 digits`);
  }
  return Object.freeze({ kind: 'decimal', precision, scale });
}

/** A type alone, as JSON has it (a string, or an object for nested types). */
export function parseType(node: JsonNode): Type {
  return parseTypeIn(node, { ids: new Set(), column: null, levels: 0 });
}

/** The JSON form of a schema. */
export function schemaToJson(schema: Schema): JsonObject {
  return {
    type: 'struct',
    'schema-id': schema.schemaId,
    ...(schema.identifierFieldIds.length > 0
      ? { 'identifier-field-ids': schema.identifierFieldIds }
      : {}),
    fields: schema.fields.map(fieldToJson),
  };
}

function fieldToJson(field: Field): JsonObject {
  const { id, name, required, type, doc, initialDefault, writeDefault } = field;
  return {
    id,
    name,
    required,
    type: typeToJson(type),
    ...(doc === undefined ? {} : { doc }),
    ...(initialDefault === undefined
      ? {}
      : { 'initial-default': defaultToJson(type, initialDefault) }),
    ...(writeDefault === undefined ? {} : { 'write-default': defaultToJson(type, writeDefault) }),
  };
}

/** The JSON form of a type. */
export function typeToJson(type: Type): JsonValue {
  switch (type.kind) {
    case 'unsupported':
      return type.json;
    case 'struct':
      return structToJson(type);
    case 'list':
      return {
        type: 'list',
        'element-id': type.elementId,
        element: typeToJson(type.element),
        'element-required': type.elementRequired,
      };
    case 'map':
      return {
        type: 'map',
        'key-id': type.keyId,
        key: typeToJson(type.key),
        'value-id': type.valueId,
        value: typeToJson(type.value),
        'value-required': type.valueRequired,
      };
    default:
      return typeName(type);
  }
}

/** A struct type as JSON. */
function structToJson(type: StructType): JsonObject {
  return { type: 'struct', fields: type.fields.map(fieldToJson) };
}

/** How people write a type: `long`, `decimal(9, 2)`, `list<string>`, `struct<a: int>`. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'unsupported':
      return typeof type.json === 'string' ? type.json : formatJson(type.json);
    case 'decimal':
      return `decimal(${type.precision}, ${type.scale})`;
    case 'fixed':
      return `fixed[${type.length}]`;
    case 'list':
      return `list<${typeName(type.element)}>`;
    case 'map':
      return `map<${typeName(type.key)}, ${typeName(type.value)}>`;
    case 'struct':
      return `struct<${type.fields.map((f) => `${f.name}: ${typeName(f.type)}`).join(', ')}>`;
    default:
      return type.kind;
  }
}
