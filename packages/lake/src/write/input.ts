import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quoteName, quoteText } from '../scan/duckdb/quoting.ts';
import { checkedFiles, type InputFormat } from './input-files.ts';

/** Rows to write: files, or plain JSON objects by column name. */
export type WriteInput =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] };

/** Input on disk, as DuckDB reads it. `dispose` removes what was staged. */
export interface StagedInput {
  readonly paths: readonly string[];
  readonly format: InputFormat;
  /** A FROM clause that reads `paths` only; CSV as texts, JSON with types of its own. */
  readonly relation: string;
  /** The same for JSON that is never taken for one map of all its columns. */
  readonly relationWithoutMaps: string;
  /** The same for JSON with columns of given DuckDB types; what `types` leaves out is not read. */
  typedRelation(types: readonly (readonly [name: string, sqlType: string])[]): string;
  dispose(): void;
}

/**
 * Files as they lie, or rows staged as NDJSON in a folder of the system's own. Throws
 * input_not_found, invalid_argument.
 */
export async function stageInput(input: WriteInput): Promise<StagedInput> {
  if (input.kind === 'files') {
    const { paths, format } = await checkedFiles(input.paths);
    return stagedFiles(paths, format, () => {});
  }
  const folder = await mkdtemp(join(tmpdir(), 'lhs-write-'));
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, 'rows.ndjson');
  try {
    await writeFile(path, input.rows.map((row) => `${JSON.stringify(row, exact)}\n`).join(''));
    return stagedFiles([path], 'json', dispose);
  } catch (error) {
    dispose();
    throw error;
  }
}

const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** Every value of every file counts for a type, and so does a name that comes late. */
const JSON_OPTIONS = "format='auto', union_by_name=true";
const WHOLE = 'sample_size=-1, maximum_sample_files=9223372036854775807';

function stagedFiles(
  paths: readonly string[],
  format: InputFormat,
  dispose: () => void,
): StagedInput {
  const list = `[${paths.map(quoteText).join(', ')}]`;
  const json = (more: string) => `read_json(${list}, ${JSON_OPTIONS}, ${WHOLE}${more})`;
  const relation = {
    parquet: `read_parquet(${list}, union_by_name=true)`,
    csv: `read_csv(${list}, all_varchar=true)`,
    json: json(''),
  }[format];
  const typedRelation: StagedInput['typedRelation'] = (types) => {
    if (format !== 'json') return relation;
    const columns = types.map(([name, type]) => `${quoteName(name)}: ${quoteText(type)}`);
    return `read_json(${list}, format='auto', columns={${columns.join(', ')}})`;
  };
  const relationWithoutMaps = json(', map_inference_threshold=-1');
  return { paths, format, relation, relationWithoutMaps, typedRelation, dispose };
}
