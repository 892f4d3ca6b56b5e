import type { Type } from '../../schema/type.ts';
import { quoteName } from './quoting.ts';

/**
 * The DuckDB type whose vectors carry exactly the values of `type`, or null if DuckDB has none:
 * it keeps zoned timestamps in microseconds (so `timestamptz_ns` would lose digits) and decodes
 * variants into types of its own.
 */
export function duckType(type: Type): string | null {
  switch (type.kind) {
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`;
    case 'list': {
      const element = duckType(type.element);
      return element === null ? null : `${element}[]`;
    }
    case 'map': {
      const [key, value] = [duckType(type.key), duckType(type.value)];
      return key === null || value === null ? null : `MAP(${key}, ${value})`;
    }
    case 'struct': {
      const fields = type.fields.map((field) => [quoteName(field.name), duckType(field.type)]);
      if (fields.length === 0 || fields.some(([, name]) => name === null)) return null;
      return `STRUCT(${fields.map((field) => field.join(' ')).join(', ')})`;
    }
    default:
      return PRIMITIVES[type.kind] ?? null;
  }
}

const PRIMITIVES: Readonly<Partial<Record<Type['kind'], string>>> = Object.freeze({
  boolean: 'BOOLEAN',
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  timestamp_ns: 'TIMESTAMP_NS',
  string: 'VARCHAR',
  uuid: 'UUID',
  binary: 'BLOB',
  fixed: 'BLOB',
});
