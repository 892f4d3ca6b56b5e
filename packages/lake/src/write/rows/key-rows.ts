import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import type { Batch } from '../../scan/batch.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { valueAt } from '../../scan/vectors.ts';
import type { Field, Schema, Value } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';
import type { StagedDataFile } from '../files/data-files.ts';
import type { WriterSession } from '../writer-session.ts';
import { collectRows, type RowsByFile } from './delete-rows.ts';
import type { PlainRows } from './plain-rows.ts';
import { copyWrittenKeys, repeatedKey, rowsWithKeys } from './staged-keys.ts';

/** The keys of the staged input, to be compared with rows of the table. */
export interface InputKeys {
  /** The rows whose key the input has, of batches that hold the key columns in their order. */
  rowsAmong(batches: AsyncIterable<Batch>): Promise<RowsByFile>;
}

const KEY_TYPES = new Set([
  'int',
  'long',
  'string',
  'uuid',
  'date',
  'boolean',
  'timestamp',
  'timestamptz',
]);

/**
 * The keys of written files: in this process if they are few (`LIMITS.keysInMemory`), else in the
 * session's DuckDB. Throws duplicate_key, column_not_found, unsupported (key type), null_key.
 */
export async function keyReader(
  session: WriterSession,
  schema: Schema,
  files: readonly StagedDataFile[],
  names: readonly string[],
): Promise<InputKeys> {
  const fields = names.map((name) => keyField(schema, name));
  const rows = files.reduce((n, file) => n + file.recordCount, 0);
  if (rows > LIMITS.keysInMemory) {
    await refuseRepeatedKeys(session, files, names);
    const written = await copyWrittenKeys(session, files, names);
    return { rowsAmong: (batches) => rowsWithKeys(session, written, fields, batches) };
  }
  const texts = fields.map((f) => `CAST(${quoteName(f.name)} AS VARCHAR)`).join(', ');
  const keys = new KeySet();
  for (const { staged } of files) {
    const from = `read_parquet(${quoteText(staged)}, hive_partitioning=false)`;
    for await (const chunk of session.chunks(`SELECT ${texts} FROM ${from}`)) {
      for (const row of chunk) keys.add(row.map((cell, i) => inputText(fields[i], cell)));
    }
  }
  return keys.over(fields);
}

/** Throws duplicate_key if written files hold a key more than once, and column_not_found. */
export async function refuseRepeatedKeys(
  session: WriterSession,
  files: readonly StagedDataFile[],
  names: readonly string[],
): Promise<void> {
  const found = await repeatedKey(session, files, names);
  if (found !== null) throw repeated(found.cells, found.times);
}

function repeated(cells: readonly unknown[], times: number): LakeError {
  const often = times === 2 ? 'twice' : `${times} times`;
  return new LakeError(
    'duplicate_key',
    `the input has the key ${JSON.stringify(cells)} ${often}; nothing was committed`,
    { details: { option: 'repeat', key: cells } },
  );
}

/** As `keyReader`, of rows in memory. */
export function plainKeys(
  { rows, columns }: PlainRows,
  schema: Schema,
  names: readonly string[],
): InputKeys {
  const fields = names.map((name) => keyField(schema, name));
  const places = fields.map((field) => schema.fields.indexOf(field));
  const keys = new KeySet();
  for (let row = 0; row < rows; row++) {
    keys.add(places.map((at, i) => requireText(fields[i], columns[at][row])));
  }
  return keys.over(fields);
}

/** Distinct keys as texts. */
class KeySet {
  readonly #keys = new Set<string>();

  /** Throws duplicate_key. */
  add(cells: readonly string[]): void {
    const key = JSON.stringify(cells);
    if (this.#keys.has(key)) throw repeated(cells, 2);
    this.#keys.add(key);
  }

  /** The set, to be compared with rows of a table. */
  over(fields: readonly Field[]): InputKeys {
    const keys = this.#keys;
    const has = ({ columns }: Batch, row: number) =>
      keys.has(JSON.stringify(fields.map((f, c) => tableText(f, valueAt(columns[c], row)))));
    return {
      rowsAmong: async (batches) => {
        const rows: RowsByFile = new Map();
        for await (const batch of batches) collectRows(rows, batch, (row) => has(batch, row));
        return rows;
      },
    };
  }
}

function requireText(field: Field, value: Value): string {
  return inputText(field, tableText(field, value));
}

function keyField(schema: Schema, name: string): Field {
  const field = schema.fields.find((f) => f.name === name);
  if (field === undefined)
    throw new LakeError('column_not_found', `key column "${name}" is not in the table`);
  if (KEY_TYPES.has(field.type.kind)) return field;
  throw new LakeError(
    'unsupported',
    `a column of type ${field.type.kind} ("${name}") cannot be a key here`,
  );
}

/** DuckDB's text of a value, in the form of `tableText`. */
function inputText(field: Field, cell: unknown): string {
  if (cell === null || cell === undefined) {
    throw new LakeError('null_key', `key column "${field.name}" is null in the input`);
  }
  return normal(field, String(cell));
}

function tableText(field: Field, value: Value): string | null {
  return value === null ? null : normal(field, String(valueToJson(field.type, value)));
}

/** Timestamps without trailing zeros, `T` and zone, so that both spellings meet. */
function normal(field: Field, text: string): string {
  if (!field.type.kind.startsWith('timestamp')) return text;
  const plain = text.replace('T', ' ').replace(/(Z|\+00(:00)?)$/, '');
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
}
