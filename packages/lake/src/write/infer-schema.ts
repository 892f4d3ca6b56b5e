import { LakeError } from '../base/errors.ts';
import type { Field, Schema, Type } from '../schema/type.ts';
import type { StagedInput } from './input.ts';
import type { WriterSession } from './writer-session.ts';

/** The columns that DuckDB sees in an input: name and SQL type. */
export async function describeInput(
  session: WriterSession,
  input: StagedInput,
): Promise<readonly { readonly name: string; readonly type: string }[]> {
  const rows = await session.rows(`DESCRIBE SELECT * FROM ${input.relation}`);
  return rows.map((row) => ({ name: String(row[0]), type: String(row[1]) }));
}

/**
 * An Iceberg schema for described columns; ids from 1 in column order, nested ones after. JSON
 * columns become VARIANT in format 3 and text below. `key` columns become required identifier
 * fields. Throws invalid_argument.
 */
export function inferSchema(
  columns: readonly { readonly name: string; readonly type: string }[],
  key: readonly string[],
  formatVersion: 2 | 3,
): Schema {
  let next = columns.length + 1;
  const fields = columns.map((c, i): Field => {
    const parse = new SqlTypeParser(c.type, formatVersion, () => next++);
    return { id: i + 1, name: c.name, required: key.includes(c.name), type: parse.type() };
  });
  const identifierFieldIds = key.map((name) => {
    const field = fields.find((f) => f.name === name);
    if (field !== undefined) return field.id;
    const names = fields.map((f) => f.name).join(', ');
    throw new LakeError('column_not_found', `key column "${name}" is not in the input (${names})`);
  });
  return { schemaId: 0, fields, identifierFieldIds };
}

const SIMPLE: Readonly<Record<string, Type>> = {
  BOOLEAN: { kind: 'boolean' },
  TINYINT: { kind: 'int' },
  SMALLINT: { kind: 'int' },
  INTEGER: { kind: 'int' },
  UTINYINT: { kind: 'int' },
  USMALLINT: { kind: 'int' },
  UINTEGER: { kind: 'long' },
  BIGINT: { kind: 'long' },
  UBIGINT: { kind: 'decimal', precision: 20, scale: 0 },
  HUGEINT: { kind: 'decimal', precision: 38, scale: 0 },
  FLOAT: { kind: 'float' },
  DOUBLE: { kind: 'double' },
  VARCHAR: { kind: 'string' },
  UUID: { kind: 'uuid' },
  BLOB: { kind: 'binary' },
  DATE: { kind: 'date' },
  TIME: { kind: 'time' },
  TIMESTAMP: { kind: 'timestamp' },
  TIMESTAMP_S: { kind: 'timestamp' },
  TIMESTAMP_MS: { kind: 'timestamp' },
  TIMESTAMP_NS: { kind: 'timestamp' },
  'TIMESTAMP WITH TIME ZONE': { kind: 'timestamptz' },
};

/**
 * Reads DuckDB's type texts: `STRUCT("a" INTEGER, b VARCHAR[])`, `MAP(VARCHAR, DOUBLE)`,
 * `DECIMAL(9,2)[]`, …
 */
class SqlTypeParser {
  readonly #text: string;
  readonly #version: 2 | 3;
  readonly #nextId: () => number;
  #at = 0;

  constructor(text: string, version: 2 | 3, nextId: () => number) {
    this.#text = text;
    this.#version = version;
    this.#nextId = nextId;
  }

  type(): Type {
    let type = this.#base();
    while (this.#take(/\[\d*\]/y) !== undefined) {
      type = { kind: 'list', elementId: this.#nextId(), elementRequired: false, element: type };
    }
    return type;
  }

  #base(): Type {
    if (this.#take(/STRUCT\(/y)) return this.#struct();
    if (this.#take(/MAP\(/y)) return this.#map();
    const decimal = this.#take(/DECIMAL\((\d+),\s*(\d+)\)/y);
    if (decimal)
      return { kind: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
    const name = this.#take(/[A-Z_]+(?: WITH TIME ZONE)?/y)?.[0] ?? '';
    if (name === 'JSON' || name === 'VARIANT')
      return { kind: this.#version === 3 ? 'variant' : 'string' };
    if (name === 'ENUM' && this.#take(/\([^)]*\)/y)) return SIMPLE.VARCHAR;
    const simple = SIMPLE[name];
    if (simple !== undefined) return simple;
    throw new LakeError(
      'unsupported',
      `a column of DuckDB type "${this.#text}" has no Iceberg type`,
    );
  }

  #struct(): Type {
    const fields: Field[] = [];
    do {
      const name = this.#take(/\s*(?:"((?:[^"]|"")*)"|(\w+))\s+/y);
      const label = name?.[1]?.replaceAll('""', '"') ?? name?.[2] ?? '';
      const id = this.#nextId();
      fields.push({ id, name: label, required: false, type: this.type() });
    } while (this.#take(/,/y));
    this.#take(/\)/y);
    return { kind: 'struct', fields };
  }

  #map(): Type {
    const keyId = this.#nextId();
    const key = this.type();
    this.#take(/,\s*/y);
    const valueId = this.#nextId();
    const value = this.type();
    this.#take(/\)/y);
    return { kind: 'map', keyId, key, valueId, valueRequired: false, value };
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}
