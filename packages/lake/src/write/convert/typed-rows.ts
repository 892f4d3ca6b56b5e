import { formatJson, type JsonValue } from '../../base/json.ts';
import type { MapValue, StructType, StructValue, Type, Value } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';

/** The rows of a file as lines of NDJSON, and the type of a row. */
export interface TypedLines {
  readonly type: StructType;
  readonly lines: Iterable<string>;
}

/** A row of typed values as a line of NDJSON from which DuckDB reads the same values. */
export const rowLine = (type: StructType, row: StructValue): string =>
  formatJson(inputJson(type, row));

/** As `valueToJson`, but longs as numbers, bytes as DuckDB escapes them, and maps as objects. */
function inputJson(type: Type, value: Value): JsonValue {
  if (value === null || value === undefined) return null;
  switch (type.kind) {
    case 'long':
      return value as bigint;
    case 'binary':
    case 'fixed':
      return Buffer.from(value as Uint8Array)
        .toString('hex')
        .replaceAll(/../g, '\\x$&');
    case 'list':
      return (value as readonly Value[]).map((item) => inputJson(type.element, item));
    case 'map':
      return Object.fromEntries(
        (value as MapValue).entries.map(([key, item]) => [
          String(valueToJson(type.key, key)),
          inputJson(type.value, item),
        ]),
      );
    case 'struct': {
      const struct = value as StructValue;
      return Object.fromEntries(
        type.fields.map((field) => [field.name, inputJson(field.type, struct[field.name] ?? null)]),
      );
    }
    default:
      return valueToJson(type, value);
  }
}
