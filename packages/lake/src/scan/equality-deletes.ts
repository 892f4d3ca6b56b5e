import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { DataFile, DeleteFile } from '../metadata/file-set.ts';
import { type PositionSet, positionSet } from '../puffin/position-set.ts';
import { childFields } from '../schema/field-lookup.ts';
import type { Field, Schema, StructValue, Type, Value } from '../schema/type.ts';
import { canonicalText } from './canonical-text.ts';
import { openTableFile } from './data-file.ts';
import type { ScanDuckDb } from './duckdb/pool.ts';
import type { FileRows, OpenFile } from './file-rows.ts';
import { planProjection } from './projection.ts';
import type { ReadContext } from './read-context.ts';
import { valueAt } from './vectors.ts';

type EqualityDelete = DeleteFile & { readonly kind: 'equality' };

/**
 * The rows of a data file that equality deletes match (format/spec.md, "Equality Delete Files"):
 *
 * 1. Delete files with the same set of equality ids are merged into one set of keys.
 * 2. A key is the values of the columns with those ids, as canonical texts; NULL equals NULL, NaN
 *    equals NaN.
 * 3. Columns that were dropped from the table's schema are still compared: their type comes from
 *    the newest schema that has them. Columns that the data file lacks are projected as in any read
 *    (partition value, initial default, null).
 * 4. A column may be inside structs: then its top-level column is read, and a null struct makes the
 *    value null.
 */
export async function deadByEquality(
  context: ReadContext,
  data: DataFile,
  deletes: readonly EqualityDelete[],
  duckdb: ScanDuckDb | null,
): Promise<PositionSet> {
  const groups = Map.groupBy(deletes, (file) => equalityIds(file).join(','));
  const dead: number[] = [];
  for (const group of groups.values()) {
    const columns = equalityIds(group[0]).map((id) => keyColumn(context, id, group[0]));
    const keys = new DeletedKeys(data);
    for (const file of group) await addKeys(context, file, columns, keys);
    const opened = await openTableFile(context, data, 'data', duckdb);
    for await (const { rows, values } of projected(context, data, opened, columns)) {
      for (let row = 0; row < rows.rows; row++) {
        if (keys.has(keyAt(values, columns, row))) dead.push(rows.firstRow + row);
      }
    }
  }
  return positionSet(dead);
}

/** The keys that are deleted from a data file, within limits. */
class DeletedKeys {
  readonly #data: DataFile;
  readonly #keys = new Set<string>();
  #chars = 0;

  constructor(data: DataFile) {
    this.#data = data;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Throws limit_exceeded. */
  add(key: string): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#chars += key.length;
    const { equalityKeys, equalityKeyBytes } = LIMITS;
    if (this.#keys.size <= equalityKeys && this.#chars * 2 <= equalityKeyBytes) return;
    const { path } = this.#data;
    throw new LakeError(
      'limit_exceeded',
      `the equality deletes of data file "${path}" hold more than ${equalityKeys} keys or ` +
        `${equalityKeyBytes} bytes of keys; compact the table with the engine that writes it`,
      { file: path },
    );
  }
}

function equalityIds(file: EqualityDelete): number[] {
  return [...new Set(file.equalityIds)].sort((a, b) => a - b);
}

/**
 * A compared column: the top-level field that holds it, and the names that lead to it from there.
 */
interface KeyColumn {
  readonly field: Field;
  readonly path: readonly string[];
  readonly type: Type;
}

function keyColumn(context: ReadContext, id: number, file: EqualityDelete): KeyColumn {
  const { schema, schemas } = context.metadata;
  for (const candidate of [schema, ...schemas.toReversed()]) {
    const found = findColumn(candidate, id);
    if (found !== null) return found;
  }
  throw new LakeError(
    'delete_file_invalid',
    `equality delete file "${file.path}" compares field id ${id}, which no schema of the table has`,
    { file: file.path },
  );
}

function findColumn(schema: Schema, id: number): KeyColumn | null {
  for (const top of schema.fields) {
    const found = descend(top, id);
    if (found !== null) return { field: { ...top, required: false }, ...found };
  }
  return null;
}

function descend(field: Field, id: number): { path: readonly string[]; type: Type } | null {
  if (field.id === id) return { path: [], type: field.type };
  if (field.type.kind !== 'struct') return null;
  for (const child of childFields(field.type)) {
    const found = descend(child, id);
    if (found !== null) return { path: [child.name, ...found.path], type: found.type };
  }
  return null;
}

async function addKeys(
  context: ReadContext,
  file: EqualityDelete,
  columns: readonly KeyColumn[],
  keys: DeletedKeys,
): Promise<void> {
  const opened = await openTableFile(context, file, 'delete', null);
  for (const { field } of columns) {
    if (opened.has(field.id)) continue;
    throw new LakeError(
      'delete_file_invalid',
      `equality delete file "${file.path}" lacks column "${field.name}" (field id ${field.id})`,
      { file: file.path },
    );
  }
  for await (const rows of opened.read(columns.map(({ field }) => field))) {
    for (let row = 0; row < rows.rows; row++) keys.add(keyAt(rows.columns, columns, row));
  }
}

async function* projected(
  context: ReadContext,
  data: DataFile,
  opened: OpenFile,
  columns: readonly KeyColumn[],
): AsyncGenerator<{ readonly rows: FileRows; readonly values: FileRows['columns'] }> {
  const fields = columns.map(({ field }) => field);
  const projection = planProjection(context, data, opened, fields);
  for await (const rows of opened.read(projection.stored)) {
    yield { rows, values: projection.complete(rows) };
  }
}

function keyAt(values: FileRows['columns'], columns: readonly KeyColumn[], row: number): string {
  const parts = columns.map(({ path, type }, i) => {
    let value: Value = valueAt(values[i], row);
    for (const name of path) value = value === null ? null : ((value as StructValue)[name] ?? null);
    return canonicalText(type, value);
  });
  return JSON.stringify(parts);
}
