import { LakeError } from '../base/errors.ts';
import { normalizeRecorded } from '../base/files/table-files.ts';
import { LIMITS } from '../base/limits.ts';
import type { DeleteFile } from '../metadata/file-set.ts';
import { type PositionSet, positionSet } from '../puffin/position-set.ts';
import type { Field } from '../schema/type.ts';
import { openTableFile } from './data-file.ts';
import type { FileRows } from './file-rows.ts';
import type { ReadContext } from './read-context.ts';
import { isNullAt, valueAt } from './vectors.ts';

/** The columns of a position delete file (format/spec.md, "Reserved Field IDs"). */
const COLUMNS: readonly Field[] = Object.freeze([
  { id: 2_147_483_546, name: 'file_path', required: true, type: { kind: 'string' } },
  { id: 2_147_483_545, name: 'pos', required: true, type: { kind: 'long' } },
]);

/**
 * The deleted positions in a Parquet or Avro position delete file, by normalised path of the data
 * file. Throws `delete_file_missing` or `delete_file_invalid`.
 */
export async function readPositionDeletes(
  context: ReadContext,
  file: DeleteFile & { readonly kind: 'position' },
): Promise<ReadonlyMap<string, PositionSet>> {
  const opened = await openTableFile(context, file, 'delete', null);
  for (const { id, name } of COLUMNS) {
    if (!opened.has(id)) throw invalid(file, `it has no column "${name}" (field id ${id})`);
  }
  const byPath = new Map<string, number[]>();
  for await (const rows of opened.read(COLUMNS)) collect(file, rows, byPath);
  return new Map(Array.from(byPath, ([path, positions]) => [path, positionSet(positions)]));
}

function collect(file: DeleteFile, rows: FileRows, byPath: Map<string, number[]>): void {
  const [paths, positions] = rows.columns;
  let list: number[] = [];
  for (let row = 0; row < rows.rows; row++) {
    if (isNullAt(paths, row) || isNullAt(positions, row)) {
      throw invalid(file, `row ${rows.firstRow + row} is null`);
    }
    if (row === 0 || !sameText(paths, row)) {
      const path = normalizeRecorded(valueAt(paths, row) as string);
      list = byPath.get(path) ?? [];
      byPath.set(path, list);
    }
    const position = valueAt(positions, row) as bigint;
    if (position < 0n) throw invalid(file, `position ${position} is not a row ordinal`);
    if (position > BigInt(LIMITS.rowsPerFile)) continue; // no data file has such a row
    list.push(Number(position));
    if (list.length > LIMITS.deletedPositionsPerFile) throw tooMany(file);
  }
}

function tooMany({ path }: DeleteFile): LakeError {
  const most = LIMITS.deletedPositionsPerFile;
  const message = `position delete file "${path}" holds more than ${most} positions of a data file`;
  return new LakeError('limit_exceeded', message, { file: path });
}

/** Whether the path at `row` is, byte for byte, that of the row before. */
function sameText(paths: FileRows['columns'][number], row: number): boolean {
  if (paths.kind !== 'utf8') return false;
  const { offsets, bytes } = paths;
  const [before, from, to] = [offsets[row - 1], offsets[row], offsets[row + 1]];
  if (from - before !== to - from) return false;
  for (let i = 0; i < to - from; i++) if (bytes[before + i] !== bytes[from + i]) return false;
  return true;
}

function invalid(file: DeleteFile, what: string): LakeError {
  return new LakeError(
    'delete_file_invalid',
    `position delete file "${file.path}" is damaged: ${what}; restore it from a copy`,
    { file: file.path },
  );
}
