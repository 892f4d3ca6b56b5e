import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { quoteName, quoteText } from '../scan/duckdb/instance.ts';
import type { Field, Schema, Type } from '../schema/type.ts';
import { sqlType } from './sql-type.ts';

/** Rows to write: files, or plain JSON objects by column name. */
export type WriteInput =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] };

/** Input on disk, as DuckDB reads it. `dispose` removes what was staged. */
export interface StagedInput {
  readonly paths: readonly string[];
  /** A FROM clause without types, for DESCRIBE; reads `paths` only. */
  readonly relation: string;
  readonly json: boolean;
  dispose(): Promise<void>;
}

/** Files as they lie, or rows staged as NDJSON in a folder of the system's own. */
export async function stageInput(input: WriteInput): Promise<StagedInput> {
  if (input.kind === 'files') return stagedFiles(input.paths.map((p) => resolve(p)));
  const folder = await mkdtemp(join(tmpdir(), 'lhs-write-'));
  const path = join(folder, 'rows.ndjson');
  await writeFile(path, input.rows.map((row) => `${JSON.stringify(row, exact)}\n`).join(''));
  const staged = stagedFiles([path]);
  return { ...staged, dispose: () => rm(folder, { recursive: true, force: true }) };
}

const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

const READERS: Readonly<Record<string, string>> = {
  '.parquet': 'parquet',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'json',
  '.jsonl': 'json',
  '.json': 'json',
};

function stagedFiles(paths: readonly string[]): StagedInput {
  const kinds = new Set(paths.map((p) => READERS[extname(p).toLowerCase()] ?? extname(p)));
  const [kind] = kinds;
  if (kinds.size !== 1 || !Object.values(READERS).includes(kind)) {
    throw new LakeError('invalid_argument', `cannot read ${[...kinds].join(', ')} files`, {
      file: paths[0],
      details: { expected: 'one or more .parquet, .csv, .tsv, .ndjson, .jsonl or .json files' },
    });
  }
  const list = `[${paths.map(quoteText).join(', ')}]`;
  const options = kind === 'json' ? `, format='auto', union_by_name=true` : '';
  const relation =
    kind === 'parquet'
      ? `read_parquet(${list}, union_by_name=true)`
      : `read_${kind}(${list}${options})`;
  return { paths, relation, json: kind === 'json', dispose: async () => {} };
}

/**
 * A SELECT of the input under a schema: every column by name with its type, absent ones null. JSON
 * files are read with the schema's own types, so nothing is guessed; variants come from JSON.
 * `names`: the columns that the input has.
 */
export function typedSelect(
  input: StagedInput,
  schema: Schema,
  names: ReadonlySet<string>,
): string {
  const columns = schema.fields.map((f) => column(f, names.has(f.name)));
  return `SELECT ${columns.join(', ')} FROM ${typedRelation(input, schema, names)}`;
}

function column(field: Field, present: boolean): string {
  const name = quoteName(field.name);
  if (!present) return `NULL::${sqlType(field.type)} AS ${name}`;
  if (field.type.kind === 'variant') return `(${name}::JSON)::VARIANT AS ${name}`;
  return `${name}::${sqlType(field.type)} AS ${name}`;
}

function typedRelation(input: StagedInput, schema: Schema, names: ReadonlySet<string>): string {
  if (!input.json) return input.relation;
  const known = schema.fields.filter((f) => names.has(f.name));
  const columns = known.map((f) => `${quoteName(f.name)}: ${quoteText(jsonType(f.type))}`);
  const list = `[${input.paths.map(quoteText).join(', ')}]`;
  return `read_json(${list}, format='auto', columns={${columns.join(', ')}})`;
}

function jsonType(type: Type): string {
  return type.kind === 'variant' ? 'JSON' : sqlType(type);
}
