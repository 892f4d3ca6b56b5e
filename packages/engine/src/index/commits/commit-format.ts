/**
 * The bytes of a commit (and of a pin, which is one): JSON. Formats 1 and 2 contain all data files
 * in three lists: their paths, their states in the checkpoint, and their skipped rows. Format 1 has
 * no `format`, and nothing about the columns of row hashes: they were those of the checkpoint's
 * schema.
 */
import type { SegmentEntry } from '../../segment/entry.ts';
import type { Directory } from '../../storage/directory.ts';
import { packJson, unpackJson } from '../../storage/packed-json.ts';
import type { Checkpoint, Commit, CommittedSkips } from './commit.ts';
import {
  type CommittedFiles,
  committedFiles,
  type DataFiles,
  type DeleteRef,
  dataFiles,
  FREE_NUMBER,
  readFiles,
} from './data-files.ts';

/** The format of commits that are written. */
export const COMMIT_FORMAT = 3;

/** A commit of format 3 as JSON. */
type StoredCommit = Omit<Commit, 'files'> & { readonly files: CommittedFiles };

/** A commit of format 1 or 2 as JSON. */
interface OldCommit extends Omit<Commit, 'files' | 'checkpoint' | 'skipped'> {
  readonly files: readonly string[];
  readonly checkpoint: OldCheckpoint | null;
  readonly skipped?: {
    readonly files: readonly { readonly file: number; readonly positions: readonly number[] }[];
    readonly first: CommittedSkips['first'];
  };
}

interface OldCheckpoint extends Omit<Checkpoint, 'data_files' | 'delete_files'> {
  readonly file_set: {
    readonly deletes: readonly DeleteRef[];
    readonly files: readonly {
      readonly file: number;
      readonly records: number;
      readonly sequence: string;
      readonly deletes: readonly number[];
    }[];
  };
}

/** The bytes of a commit in format 3. */
export const encodeCommit = (commit: Commit): Uint8Array =>
  packJson({ ...commit, format: COMMIT_FORMAT, files: committedFiles(commit.files) });

/**
 * The commit in a payload of a file of `directory`; pages of data files of `former` are shared.
 * Throws corrupt_index.
 */
export function decodeCommit(
  directory: Directory,
  name: string,
  payload: Uint8Array,
  former?: Commit,
): Commit {
  return unpackJson(payload, `${directory.path}/${name}`, (stored: StoredCommit | OldCommit) => {
    if (isOld(stored)) return withPages(withHashedColumns(stored));
    return { ...stored, files: readFiles(directory, stored.files, former?.files) };
  });
}

const isOld = (stored: StoredCommit | OldCommit): stored is OldCommit =>
  (stored.format ?? 1) < COMMIT_FORMAT;

/** A commit with the columns that the row hashes of segments cover, which format 1 leaves out. */
function withHashedColumns(commit: OldCommit): OldCommit {
  if (commit.format !== undefined) return commit;
  const { fields = [] } = (commit.checkpoint?.schema ?? {}) as { readonly fields?: StoredField[] };
  const whole = fields.map(({ id }) => id).sort((a, b) => a - b);
  const segments = commit.segments.map((segment): SegmentEntry => {
    return { ...segment, hashed: [{ docs: segment.docs, whole, columns: [] }] };
  });
  return { ...commit, segments };
}

/** A column of the schema of a checkpoint. */
interface StoredField {
  readonly id: number;
}

function withPages({ checkpoint: old, skipped, ...commit }: OldCommit): Commit {
  const files = filesOf(commit.files, old, skipped);
  const first = skipped && {
    rows: skipped.files.reduce((sum, { positions }) => sum + positions.length, 0),
    first: skipped.first,
  };
  const rest = { ...commit, files, ...(first === undefined ? {} : { skipped: first }) };
  if (old === null) return { ...rest, checkpoint: null };
  const { file_set: set, ...checkpoint } = old;
  const counts = { data_files: set.files.length, delete_files: set.deletes.length };
  return { ...rest, checkpoint: { ...checkpoint, ...counts } };
}

function filesOf(
  paths: readonly string[],
  checkpoint: OldCheckpoint | null,
  skipped: OldCommit['skipped'],
): DataFiles {
  const files = paths.map((path) => ({ ...FREE_NUMBER, path }));
  const { files: states = [], deletes = [] } = checkpoint?.file_set ?? {};
  for (const { file, deletes: applied, ...state } of states) {
    const entry = { ...state, deletes: applied.map((number) => deletes[number]) };
    files[file] = { ...files[file], entries: [...files[file].entries, entry] };
  }
  for (const { file, positions } of skipped?.files ?? []) {
    files[file] = { ...files[file], skipped: positions };
  }
  return dataFiles(files);
}
