import { type FileSet, type Schema, type SourceTable, schemaToJson } from '@lakehouse-search/lake';
import { LhsError } from '../base/errors.ts';
import type { Checkpoint, DeleteRef, FileSetState, Json } from '../index/commit.ts';

/** Numbers of data files, as locators name them: a commit's `files`, growing. */
export interface FileTable {
  /** The number of a path, given out when it is new. */
  numberOf(path: string): number;
  /** Data sequence number of a file, for rows that share a key; 0 where it is not known. */
  sequenceOf(file: number): bigint;
  pathOf(file: number): string;
  /** Takes the files of a snapshot in: numbers and sequence numbers. */
  follow(set: FileSet): void;
  /** The table for a commit at `set`: paths that the set does not hold any more are blank. */
  at(set: FileSet): readonly string[];
}

/** A file table that goes on from a commit's. */
export function createFileTable(known: readonly string[] = []): FileTable {
  const paths = [...known];
  const numbers = new Map(paths.map((path, i) => [path, i]));
  numbers.delete('');
  const sequences = new Map<number, bigint>();
  const numberOf = (path: string) => {
    let number = numbers.get(path);
    if (number === undefined) {
      number = paths.push(path) - 1;
      numbers.set(path, number);
    }
    return number;
  };
  return {
    numberOf,
    sequenceOf: (file) => sequences.get(file) ?? 0n,
    pathOf: (file) => paths[file],
    follow(set) {
      for (const { data } of set.files) sequences.set(numberOf(data.path), data.dataSequence);
    },
    at(set) {
      const live = new Set(set.files.map(({ data }) => data.path));
      return paths.map((path) => (live.has(path) ? path : ''));
    },
  };
}

/** The checkpoint of an index that equals `table` at `set`, rows read under `schema`. */
export function checkpointOf(
  table: SourceTable,
  set: FileSet,
  schema: Schema,
  files: FileTable,
): Checkpoint {
  const snapshot = set.snapshotId === null ? null : table.snapshot(set.snapshotId);
  return {
    table_uuid: table.uuid,
    snapshot_id: set.snapshotId === null ? null : String(set.snapshotId),
    sequence: String(snapshot?.sequenceNumber ?? 0n),
    schema_id: schema.schemaId,
    schema: plainJson(schemaToJson(schema)),
    file_set: fileSetState(set, files),
  };
}

/** Big integers (column defaults) as strings: a commit is plain JSON. */
function plainJson(value: unknown): Json {
  const text = JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v));
  return JSON.parse(text) as Json;
}

function fileSetState(set: FileSet, files: FileTable): FileSetState {
  const deletes: DeleteRef[] = [];
  const numbers = new Map<string, number>();
  const deleteNumber = (ref: DeleteRef) => {
    const name = `${ref.offset ?? ''}:${ref.path}`;
    let number = numbers.get(name);
    if (number === undefined) {
      number = deletes.push(ref) - 1;
      numbers.set(name, number);
    }
    return number;
  };
  const states = set.files.map(({ data, deletes: applied }) => ({
    file: files.numberOf(data.path),
    records: data.recordCount,
    sequence: String(data.dataSequence),
    deletes: applied
      .map((file) =>
        deleteNumber(
          file.kind === 'vector'
            ? { path: file.path, offset: file.contentOffset, length: file.contentSize }
            : { path: file.path },
        ),
      )
      .sort((a, b) => a - b),
  }));
  return { deletes, files: states };
}

/** The table is the one that the checkpoint followed. Throws source_changed. */
export function requireSameTable(checkpoint: Checkpoint, table: SourceTable, index: string): void {
  if (checkpoint.table_uuid === table.uuid) return;
  const message = `"${table.name}" is another table now (uuid ${table.uuid}, the index follows ${checkpoint.table_uuid})`;
  throw new LhsError('source_changed', message, {
    hint: `lhs index reindex ${index} builds the index of the new table`,
  });
}
