import { LakeError } from '../../base/errors.ts';
import type { Field, Type } from '../../schema/type.ts';

/**
 * The Iceberg type of a DuckDB type text (`STRUCT("a" INTEGER, b VARCHAR[])`,
 * `MAP(VARCHAR, DOUBLE)`, `DECIMAL(9,2)[]`, …), all field ids 0. JSON becomes variant. `column` is
 * named in errors: unsupported, and limit_exceeded for more levels than any reader takes.
 */
export function parseSqlType(text: string, column: string): Type {
  return new SqlTypeParser(text, column).type();
}

/** Levels of a type that are parsed; tables and writers take far fewer. */
const MOST_LEVELS = 1000;

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
  TIMESTAMP_NS: { kind: 'timestamp_ns' },
  'TIMESTAMP WITH TIME ZONE': { kind: 'timestamptz' },
};

/**
 * Reads DuckDB's type texts: `STRUCT("a" INTEGER, b VARCHAR[])`, `MAP(VARCHAR, DOUBLE)`,
 * `DECIMAL(9,2)[]`, …
 */
class SqlTypeParser {
  readonly #text: string;
  readonly #column: string;
  #at = 0;
  #level = 0;

  constructor(text: string, column: string) {
    this.#text = text;
    this.#column = column;
  }

  type(): Type {
    this.#enter();
    const level = this.#level;
    let type = this.#base();
    while (this.#take(/\[\d*\]/y) !== undefined) {
      this.#enter();
      type = { kind: 'list', elementId: 0, elementRequired: false, element: type };
    }
    this.#level = level - 1;
    return type;
  }

  #enter(): void {
    if (++this.#level <= MOST_LEVELS) return;
    const message = `column "${this.#column}" nests more than ${MOST_LEVELS} levels`;
    throw new LakeError('limit_exceeded', message);
  }

  #base(): Type {
    if (this.#take(/STRUCT\(/y)) return this.#struct();
    if (this.#take(/MAP\(/y)) return this.#map();
    const decimal = this.#take(/DECIMAL\((\d+),\s*(\d+)\)/y);
    if (decimal)
      return { kind: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
    const name = this.#take(/[A-Z_]+(?: WITH TIME ZONE)?/y)?.[0] ?? '';
    if (name === 'JSON' || name === 'VARIANT') return { kind: 'variant' };
    if (name === 'ENUM' && this.#take(/\([^)]*\)/y)) return SIMPLE.VARCHAR;
    const simple = SIMPLE[name];
    if (simple !== undefined) return simple;
    throw new LakeError(
      'unsupported',
      `column "${this.#column}" has the type ${this.#text}, which Iceberg does not have`,
    );
  }

  #struct(): Type {
    const fields: Field[] = [];
    do {
      const name = this.#take(/\s*(?:"((?:[^"]|"")*)"|(\w+))\s+/y);
      const label = name?.[1]?.replaceAll('""', '"') ?? name?.[2] ?? '';
      fields.push({ id: 0, name: label, required: false, type: this.type() });
    } while (this.#take(/,/y));
    this.#take(/\)/y);
    return { kind: 'struct', fields };
  }

  #map(): Type {
    const key = this.type();
    this.#take(/,\s*/y);
    const value = this.type();
    this.#take(/\)/y);
    return { kind: 'map', keyId: 0, key, valueId: 0, valueRequired: false, value };
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}
