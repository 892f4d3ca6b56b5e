import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { partitionKey } from '../../plan/delete-index.ts';
import { quoteName } from '../../scan/duckdb/quoting.ts';
import {
  isUnpartitioned,
  type PartitionField,
  type PartitionSpec,
} from '../../schema/partition-spec.ts';
import { applyTransform, parseTransform, transformAccepts } from '../../schema/transform.ts';
import type { Field, Schema, Type, Value } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';
import type { PlainRows } from '../rows/plain-rows.ts';
import type { WriterSession } from '../writer-session.ts';
import { valueOfText } from './file-statistics.ts';

/** The partitions of a write: `tuples[n]` is the tuple of the rows with number n. */
export interface NumberedPartitions {
  readonly tuples: readonly (readonly Value[])[];
  readonly rows: number;
}

/** Distinct source values whose partition is remembered while rows are numbered. */
const REMEMBERED = 100_000;

/**
 * Writes table `parts(part, row)`: for each row of `from`, in its order, the number of its
 * partition. Throws limit_exceeded, unsupported.
 */
export async function numberPartitions(
  session: WriterSession,
  from: string,
  schema: Schema,
  spec: PartitionSpec,
): Promise<NumberedPartitions> {
  const sources = spec.fields.map((f) => sourceField(schema, f));
  const names = sources.map((f) => `CAST(${quoteName(f.name)} AS VARCHAR)`).join(', ');
  const numbers = new Map<string, number>();
  const tuples: (readonly Value[])[] = [];
  const known = new Map<string, number>();
  const numberOf = (cells: readonly unknown[]): number => {
    const tuple = spec.fields.map((f, i) => transformed(f, sources[i].type, cells[i]));
    const key = partitionKey({ specId: spec.specId, partition: tuple });
    const number = numbers.get(key) ?? tuples.push(tuple) - 1;
    numbers.set(key, number);
    if (tuples.length > LIMITS.partitionsPerWrite) throw tooMany();
    return number;
  };
  await session.run('CREATE OR REPLACE TABLE parts(part INTEGER, row BIGINT)');
  let rows = 0;
  await session.append('parts', async (parts) => {
    for await (const chunk of session.chunks(`SELECT ${names} FROM (${from})`)) {
      for (const cells of chunk) {
        const text = JSON.stringify(cells);
        const number = known.get(text) ?? numberOf(cells);
        if (known.size < REMEMBERED) known.set(text, number);
        parts.appendInteger(number);
        parts.appendBigInt(BigInt(rows++));
        parts.endRow();
      }
    }
  });
  return { tuples, rows };
}

function tooMany(): LakeError {
  return new LakeError(
    'limit_exceeded',
    `the input falls into more than ${LIMITS.partitionsPerWrite} partitions; partition ` +
      'by less, or split it',
  );
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
      return value === null ? null : partitionValue(f, sources[i].type, value);
    });
    const key = partitionKey({ specId: spec.specId, partition: tuple });
    const known = byTuple.get(key) ?? { tuple, members: [] };
    byTuple.set(key, known);
    known.members.push(row);
  }
  return [...byTuple.values()];
}

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
  const { name, transform } = partition;
  if (transform.kind === 'unknown') {
    const why = `its transform "${transform.text}" is not known`;
    throw new LakeError('unsupported', `cannot write partition field "${name}": ${why}`);
  }
  const field = schema.fields.find((f) => f.id === partition.sourceIds[0]);
  const single = field !== undefined && partition.sourceIds.length === 1;
  if (single && PARTITIONABLE.has(field.type.kind)) return field;
  throw new LakeError(
    'unsupported',
    `cannot write partition field "${name}": its source is not one plain column`,
  );
}

function transformed(field: PartitionField, type: Type, cell: unknown): Value {
  if (cell === null || cell === undefined) return null;
  return partitionValue(field, type, valueOfText(type, cell));
}

/** Throws `unsupported` if the value has a partition that the partition's type cannot hold. */
function partitionValue({ name, transform }: PartitionField, type: Type, value: Value): Value {
  const image = applyTransform(transform, type, value);
  const fits =
    (typeof image !== 'bigint' || type.kind === 'decimal' || BigInt.asIntN(64, image) === image) &&
    (typeof image !== 'number' || !INT_RESULTS.has(transform.kind) || (image | 0) === image);
  if (fits) return image;
  const text = String(valueToJson(type, value));
  throw new LakeError('unsupported', `partition field "${name}" cannot hold ${image} of ${text}`);
}

const INT_RESULTS: ReadonlySet<string> = new Set(['hour', 'truncate']);

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
    details: { option: 'partitioning' },
  });
}
