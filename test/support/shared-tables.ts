import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Field, Schema, Type } from '@lakehouse-search/lake';

/** The tables that other writers made, with the truth about them; absent in a bare clone. */
export const shared = fileURLToPath(new URL('../../../shared/', import.meta.url));
export const hasShared = existsSync(`${shared}iceberg/README.md`);

export type TruthRow = Readonly<Record<string, unknown>>;
export interface TruthSnapshot {
  readonly snapshot_id: string;
  readonly operation: string;
  readonly is_current_ancestor: boolean;
  readonly row_count: number;
  readonly rows?: readonly TruthRow[];
  readonly rows_current_schema?: readonly TruthRow[];
  readonly digest?: {
    readonly columns: Readonly<Record<string, { nulls: number; min?: string; max?: string }>>;
    readonly key_sha256: string;
  };
}
export interface Truth {
  readonly identifier_columns: readonly string[];
  readonly current_snapshot_id: string;
  readonly snapshots: readonly TruthSnapshot[];
  readonly changelog: readonly {
    readonly from: string;
    readonly to: string;
    readonly counts: { inserts: number; updates: number; deletes: number };
  }[];
}

export const tablePath = (name: string): string => `${shared}iceberg/${name}`;

export function truthOf(name: string): Truth {
  return JSON.parse(readFileSync(`${tablePath(name)}/truth.json`, 'utf8')) as Truth;
}

/** A field's definition for a column, or null where none of its type is made. */
export function fieldLine({ name, type }: Field): string | null {
  const element = type.kind === 'list' ? type.element : type;
  const kind = fieldType(element);
  if (kind === null) return null;
  if (kind === 'KEYWORD' && PROSE.has(name))
    return `  - { name: ${name}, type: TEXT, cached: true }`;
  return `  - { name: ${name}, type: ${kind}, fast: true, cached: true }`;
}

const PROSE = new Set(['title', 'body', 'subject', 'biography', 'meta']);

function fieldType(type: Type): string | null {
  switch (type.kind) {
    case 'string':
    case 'uuid':
    case 'decimal':
    case 'time':
      return 'KEYWORD';
    case 'int':
    case 'long':
      return 'LONG';
    case 'float':
    case 'double':
      return 'DOUBLE';
    case 'boolean':
      return 'BOOL';
    case 'date':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return 'DATE';
    default:
      return null;
  }
}

/** A truth value as an export shows it; undefined where the document has no value. */
export function exportedValue(type: Type, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (type.kind === 'list') {
    const items = (value as unknown[]).filter((item) => item !== null);
    return items.length === 0 ? undefined : items.map((item) => exportedValue(type.element, item));
  }
  if (type.kind === 'date') return `${value}T00:00:00.000000Z`;
  if (type.kind.startsWith('timestamp')) return `${String(value).slice(0, 26)}Z`;
  return value;
}

/**
 * What the export of a row must hold as JSON (which has no -0), given the columns that are indexed.
 */
export function exportedRow(schema: Schema, row: TruthRow): Record<string, unknown> {
  const columns = schema.fields.filter((field) => fieldLine(field) !== null);
  const entries = columns.map(({ name, type }) => [name, exportedValue(type, row[name])]);
  const shown = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return JSON.parse(JSON.stringify(shown));
}

/** SHA-256 over the sorted JSON of the identifier values, as truth.json has it. */
export function keyDigest(keys: readonly (readonly unknown[])[]): string {
  const lines = keys.map((key) => JSON.stringify(key)).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
