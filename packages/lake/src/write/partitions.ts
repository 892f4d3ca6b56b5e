import { LakeError } from '../base/errors.ts';
import { quoteName } from '../scan/duckdb/instance.ts';
import {
  isUnpartitioned,
  type PartitionField,
  type PartitionSpec,
} from '../schema/partition-spec.ts';
import { applyTransform, parseTransform, transformAccepts } from '../schema/transform.ts';
import type { Field, Schema, Type, Value } from '../schema/type.ts';
import { valueToJson } from '../schema/value-json.ts';
import type { PlainRows } from './plain-rows.ts';
import { valueOfText } from './value-of-text.ts';
import type { WriterSession } from './writer-session.ts';

/** A partition of the staged rows; `number` is null where there is only one. */
export interface StagedPartition {
  readonly number: number | null;
  readonly tuple: readonly Value[];
}

/**
 * Numbers the partitions of table `input` and writes table `parts(row, part)`. Distinct source
 * values are few where partitioning is any good, so each distinct tuple of source values is
 * transformed once.
 */
export async function assignPartitions(
  session: WriterSession,
  schema: Schema,
  spec: PartitionSpec,
): Promise<readonly StagedPartition[]> {
  const total = Number((await session.rows('SELECT count(*) FROM input'))[0][0]);
  if (total === 0) return [];
  if (isUnpartitioned(spec)) return [{ number: null, tuple: spec.fields.map(() => null) }];
  const sources = spec.fields.map((f) => sourceField(schema, f));
  const names = sources.map((f) => `CAST(${quoteName(f.name)} AS VARCHAR)`).join(', ');
  const texts = await session.rows(`SELECT rowid, ${names} FROM input ORDER BY rowid`);
  const byTuple = new Map<string, { number: number; tuple: readonly Value[] }>();
  const values: string[] = [];
  for (const [row, ...cells] of texts) {
    const tuple = spec.fields.map((f, i) => transformed(f, sources[i].type, cells[i]));
    const key = tupleKey(tuple);
    const known = byTuple.get(key) ?? { number: byTuple.size, tuple };
    byTuple.set(key, known);
    values.push(`(${row}, ${known.number})`);
  }
  await session.run('CREATE OR REPLACE TABLE parts(row BIGINT, part INTEGER)');
  for (let i = 0; i < values.length; i += 10_000) {
    await session.run(`INSERT INTO parts VALUES ${values.slice(i, i + 10_000).join(', ')}`);
  }
  return [...byTuple.values()];
}

/** The rows of one partition: their numbers, ascending. */
export interface PartitionOfRows {
  readonly tuple: readonly Value[];
  readonly members: readonly number[];
}

/** The partitions of rows in memory, in the order in which they appear. */
export function partitionRows(
  { rows, columns }: PlainRows,
  schema: Schema,
  spec: PartitionSpec,
): readonly PartitionOfRows[] {
  const sources = isUnpartitioned(spec) ? [] : spec.fields.map((f) => sourceField(schema, f));
  const places = sources.map((field) => schema.fields.indexOf(field));
  const byTuple = new Map<string, { tuple: readonly Value[]; members: number[] }>();
  for (let row = 0; row < rows; row++) {
    const tuple = spec.fields.map((f, i) => {
      if (sources.length === 0) return null;
      const value = columns[places[i]][row];
      return value === null ? null : applyTransform(f.transform, sources[i].type, value);
    });
    const key = tupleKey(tuple);
    const known = byTuple.get(key) ?? { tuple, members: [] };
    byTuple.set(key, known);
    known.members.push(row);
  }
  return [...byTuple.values()];
}

const tupleKey = (tuple: readonly Value[]) =>
  JSON.stringify(tuple, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));

const PARTITIONABLE = new Set([
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'timestamp',
  'timestamptz',
  'decimal',
  'string',
  'uuid',
]);

function sourceField(schema: Schema, partition: PartitionField): Field {
  const field = schema.fields.find((f) => f.id === partition.sourceIds[0]);
  const single = field !== undefined && partition.sourceIds.length === 1;
  if (single && PARTITIONABLE.has(field.type.kind)) return field;
  throw new LakeError(
    'unsupported',
    `cannot write partition field "${partition.name}": its source is not one plain column`,
  );
}

function transformed(field: PartitionField, type: Type, cell: unknown): Value {
  if (cell === null || cell === undefined) return null;
  return applyTransform(field.transform, type, valueOfText(type, cell));
}

/**
 * `service=billing/opened_at_day=2025-11-03`: the folder of a partition, values URL-encoded as
 * other writers do.
 */
export function partitionFolder(spec: PartitionSpec, tuple: readonly Value[]): string {
  return spec.fields
    .map((f, i) => `${encodeURIComponent(f.name)}=${encodeURIComponent(folderText(f, tuple[i]))}`)
    .join('/');
}

function folderText(field: PartitionField, value: Value): string {
  if (value === null) return 'null';
  const kind = field.transform.kind;
  if (kind === 'day') return String(valueToJson({ kind: 'date' }, value));
  return typeof value === 'bigint' || typeof value === 'string'
    ? String(value)
    : JSON.stringify(value);
}

/**
 * A spec from its short text: `service`, `day(opened_at)`, `bucket[16](id)`, `truncate[4](name)`,
 * joined by commas. Throws invalid_argument with the part that cannot be read.
 */
export function parsePartitionBy(text: string, schema: Schema): PartitionSpec {
  const parts = text
    .split(',')
    .map((p) => p.trim())
    .filter((p) => p !== '');
  const fields = parts.map((part, i): PartitionField => {
    const [, transform = 'identity', column = ''] =
      /^(?:([a-z]+(?:\[\d+\])?)\()?([^()]+)\)?$/.exec(part) ?? [];
    const source = schema.fields.find((f) => f.name === column);
    const parsed = parseTransform(transform);
    if (source === undefined) throw bad(part, `"${column}" is not a column`);
    if (parsed.kind === 'unknown') throw bad(part, `"${transform}" is not a transform`);
    if (!transformAccepts(parsed, source.type))
      throw bad(part, `a ${source.type.kind} column cannot be transformed so`);
    const name = parsed.kind === 'identity' ? column : `${column}_${parsed.kind}`;
    return { fieldId: 1000 + i, name, sourceIds: [source.id], transform: parsed };
  });
  return { specId: 0, fields };
}

function bad(part: string, why: string): LakeError {
  return new LakeError('invalid_argument', `cannot partition by "${part}": ${why}`, {
    details: { expected: 'column, day(column), bucket[16](column), truncate[4](column), …' },
  });
}
