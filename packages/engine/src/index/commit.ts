/**
 * A commit: everything that an index is at one moment, as one framed file named `commit` in the
 * generation's folder. It is replaced by one atomic rename after all that it names is on disk;
 * nothing else makes data visible. The payload is JSON in UTF-8 with exactly the properties
 * of `Commit`, so a stranger reads it with any JSON reader. Format 1 has no `format`, and nothing
 * about the columns of row hashes: they were those of the schema of the checkpoint.
 */
import { type ErrorAdvice, LhsError } from '@lakehouse-search/contract';
import type { BucketMap } from '../schema/bucket-map.ts';
import type { FieldType, Similarity, VectorIndex } from '../schema/definition.ts';
import type { BuiltAs, FieldPlan, VectorPlan } from '../schema/field-plan.ts';
import type { WindowLayout } from '../schema/windows.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, readFramed, writeFramed } from '../storage/frame.ts';

export const COMMIT_FILE = 'commit';
/** The format of commits that are written. */
export const COMMIT_FORMAT = 2;
const DRAFT_FILE = 'commit.tmp';
const REBUILD: ErrorAdvice = {
  hint: 'a reindex builds it with the new definition',
  next: [{ step: 'reindex' }],
};

/** JSON that is kept as it is. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

/** A delete file of the table, or a deletion vector in one (then with its place in it). */
export interface DeleteRef {
  readonly path: string;
  readonly offset?: number;
  readonly length?: number;
}

/**
 * A data file of the table as far as the index has followed it: rows, and which deletes have been
 * applied to it.
 */
export interface FileState {
  /** Number in the commit's file table. */
  readonly file: number;
  readonly records: number;
  /** Data sequence number, decimal. */
  readonly sequence: string;
  /** Numbers in `FileSetState.deletes`, ascending. */
  readonly deletes: readonly number[];
}

/**
 * What the table was made of at the checkpoint: enough to find what differs without the table's
 * history.
 */
export interface FileSetState {
  readonly deletes: readonly DeleteRef[];
  readonly files: readonly FileState[];
}

/** Up to where an index has followed its table. */
export interface Checkpoint {
  readonly table_uuid: string;
  /** Snapshot id, decimal; null: the table had no snapshot. */
  readonly snapshot_id: string | null;
  /** Sequence number of the snapshot, decimal. */
  readonly sequence: string;
  readonly schema_id: number | null;
  /** The schema under which rows were read, as the table's metadata writes it. */
  readonly schema: Json;
  readonly file_set: FileSetState;
  /** The branch or tag that the definition followed; absent: the table's current snapshot. */
  readonly ref?: string;
  /**
   * Snapshots that were reached before this one, the latest first, at most
   * `LIMITS.appliedSnapshots`: a batch that ends at one of them was applied already.
   */
  readonly applied?: readonly string[];
  /**
   * Present while a staged generation is being built: `file_set` has the data files of the snapshot
   * that are complete, and the others are missing. Such a commit is never live.
   */
  readonly partial?: true;
}

/** A field as the commit names it: the plan without its analyzer's code. */
export interface CommittedField {
  readonly id: number;
  readonly name: string;
  readonly type: FieldType;
  readonly inverted: 'text' | 'keyword' | null;
  readonly analyzer: string | null;
  /** `Analyzer.stems` of the analyzer; absent where it has none. */
  readonly stems?: string;
  /** Text: false if frequent terms store no best documents; absent: they do. */
  readonly best_documents?: false;
  readonly column: 'numeric' | 'ordinal' | null;
  readonly stored: boolean;
  /** VECTOR only. */
  readonly vector?: CommittedVector;
}

/** How a VECTOR field is kept, and which model made its vectors; null: they came with the rows. */
export interface CommittedVector {
  readonly dims: number;
  readonly similarity: Similarity;
  readonly index: VectorIndex;
  readonly model: CommittedModel | null;
}

/**
 * A model by what it is: vectors of two models with one checksum are the same, wherever they lie.
 */
export interface CommittedModel {
  /** As the definition named it. */
  readonly name: string;
  /** SHA-256, hexadecimal (embed/embedder.ts). */
  readonly checksum: string;
}

/** All that an index is at one moment. */
export interface Commit {
  /** Format of this commit; absent: 1. */
  readonly format?: number;
  /** Grows by one with each commit of a generation; 0 is the empty index before the first. */
  readonly number: number;
  /** Version of the index definition that the fields come from. */
  readonly definition_version: number;
  /** Number of the next segment. */
  readonly next_segment: number;
  /** Number of the next component that is replaced during a segment's life. */
  readonly next_revision: number;
  /** Milliseconds since 1970. */
  readonly committed_at: number;
  readonly fields: readonly CommittedField[];
  /**
   * A number above the ids of all fields that this generation has ever had; absent: the highest of
   * `fields` plus one. An id names files and stored values, so it is never used again.
   */
  readonly next_field?: number;
  readonly segments: readonly SegmentEntry[];
  /** Number of shards that keys are spread over (key-buckets.ts); absent: 1. */
  readonly shards?: number;
  /** The buckets of each shard, if a map spreads them (bucket-map.ts); absent: equal ranges. */
  readonly shard_map?: BucketMap;
  /** How segments are cut into windows; absent: they are not. */
  readonly windows?: WindowLayout;
  /** Key columns, by their places in the key, whose numbers are in sorting form; absent: none. */
  readonly key_numbers?: readonly number[];
  /**
   * Paths of data files by number, as the table records them. A number that no document uses may
   * hold ''.
   */
  readonly files: readonly string[];
  readonly checkpoint: Checkpoint | null;
  /**
   * Rows of the table that lost to another row of their key so far and have no document; absent: 0.
   */
  readonly dropped_duplicates?: number;
  /**
   * Rows of the table that have no document because a value cannot be indexed (`on_bad_row: skip`);
   * absent: none.
   */
  readonly skipped?: CommittedSkips;
}

/** Skipped rows: all by place, and the reasons of the first. */
export interface CommittedSkips {
  /** By number in the commit's file table, ascending. */
  readonly files: readonly { readonly file: number; readonly positions: readonly number[] }[];
  /** At most `LIMITS.skippedRowsShown`. */
  readonly first: readonly {
    readonly file: number;
    readonly position: number;
    readonly key?: string;
    readonly reason: string;
  }[];
}

/** The commit of an index that has none yet. */
export function emptyCommit(definitionVersion: number, plans: readonly FieldPlan[]): Commit {
  return {
    format: COMMIT_FORMAT,
    number: 0,
    definition_version: definitionVersion,
    next_segment: 1,
    next_revision: 1,
    committed_at: 0,
    fields: plans.map(committedField),
    segments: [],
    files: [],
    checkpoint: null,
  };
}

/** What the mapping of a commit's generation has to keep. */
export const builtAs = ({
  fields,
  key_numbers: keyNumbers = [],
}: Pick<Commit, 'fields' | 'key_numbers'>): BuiltAs => ({
  ids: new Map(fields.map(({ name, id }) => [name, id])),
  keyNumbers,
});

/** The id of the next field that a generation gets. */
export const nextFieldId = ({ fields, next_field }: Pick<Commit, 'fields' | 'next_field'>) =>
  Math.max(next_field ?? 0, ...fields.map(({ id }) => id + 1));

/** What a commit says of a plan. */
export function committedField(plan: FieldPlan): CommittedField {
  const { id, name, type, inverted, column, stored } = plan;
  const text = inverted?.kind === 'text' ? inverted : null;
  const analyzer = text?.analyzer ?? null;
  const field = {
    id,
    name,
    type,
    inverted: inverted?.kind ?? null,
    analyzer: analyzer?.name ?? null,
    ...(analyzer?.stems === undefined ? {} : { stems: analyzer.stems }),
    ...(text?.bestDocs === false ? { best_documents: false as const } : {}),
    column,
    stored,
  };
  return plan.vector === undefined ? field : { ...field, vector: committedVector(plan.vector) };
}

function committedVector({
  dims,
  similarity,
  index,
  model,
  checksum,
}: VectorPlan): CommittedVector {
  const made = model === null ? null : { name: model, checksum: checksum ?? '' };
  return { dims, similarity, index, model: made };
}

/** The commit of a directory, or null when there is none yet. Throws corrupt_index. */
export function readCommit(directory: Directory): Commit | null {
  if (!directory.list().includes(COMMIT_FILE)) return null;
  const payload = readFramed(directory, COMMIT_FILE, 'commit');
  try {
    return withHashedColumns(JSON.parse(Buffer.from(payload).toString()) as Commit);
  } catch (cause) {
    const error = corrupt(`${directory.path}/${COMMIT_FILE}`, 'it is not JSON');
    error.cause = cause;
    throw error;
  }
}

/** The commit with what format 1 leaves out: the columns that the row hashes of segments cover. */
function withHashedColumns(commit: Commit): Commit {
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

/**
 * Makes a commit visible: everything it names must be finished (fsynced) before. After an error
 * the old commit or the new one is in force, whole; which, only reading tells.
 */
export function writeCommit(directory: Directory, commit: Commit): void {
  directory.sync();
  const text = JSON.stringify(commit);
  writeFramed(directory, DRAFT_FILE, 'commit', [Buffer.from(text)]);
  directory.rename(DRAFT_FILE, COMMIT_FILE);
}

/** Names of all files that a commit needs, itself included. */
export function filesOf(commit: Commit): ReadonlySet<string> {
  const names = new Set([COMMIT_FILE]);
  for (const segment of commit.segments) {
    for (const { file } of segment.components) names.add(file);
  }
  return names;
}

/** Bytes of all segments of a commit. */
export const commitBytes = (commit: Commit): number =>
  commit.segments.reduce(
    (sum, { components }) => sum + components.reduce((bytes, { length }) => bytes + length, 0),
    0,
  );

/** How the documents of an index are spread over segments. */
export interface SegmentLayout {
  /** Number of shards that keys are spread over. */
  readonly shards: number;
  /** The buckets of each shard; undefined: equal ranges. */
  readonly map?: BucketMap | undefined;
  /** null: the index has no windows. */
  readonly windows: WindowLayout | null;
  /** Key columns whose numbers are in sorting form. */
  readonly keyNumbers: readonly number[];
}

/**
 * Throws invalid_argument when the fields, the number of shards, the windows or the form of keys
 * differ from those that the index was built with.
 */
export function checkBuild(
  commit: Commit,
  plans: readonly FieldPlan[],
  { shards, map, windows, keyNumbers }: SegmentLayout,
): void {
  const { shards: built = 1 } = commit;
  if (commit.number > 0 && shards !== built) {
    const message = `the definition has ${shards} shards, the index was built with ${built}`;
    throw new LhsError('invalid_argument', message, REBUILD);
  }
  if (commit.number > 0 && String(map ?? '') !== String(commit.shard_map ?? '')) {
    const message = 'the buckets of the shards differ from those that the index was built with';
    throw new LhsError('invalid_argument', message, REBUILD);
  }
  if (commit.number > 0 && !sameWindows(windows, commit.windows ?? null)) {
    const message = 'the windows of the definition differ from those that the index was built with';
    throw new LhsError('invalid_argument', message, REBUILD);
  }
  if (commit.number > 0 && String(keyNumbers) !== String(commit.key_numbers ?? [])) {
    const message = 'the numbers of keys are in another form than those of the index';
    throw new LhsError('invalid_argument', message, REBUILD);
  }
  const wanted = JSON.stringify(plans.map((plan) => withoutPlace(committedField(plan))));
  const found = JSON.stringify(commit.fields.map(withoutPlace));
  if (commit.segments.length === 0 || wanted === found) return;
  throw new LhsError(
    'invalid_argument',
    'the fields differ from those that the index was built with',
    REBUILD,
  );
}

function sameWindows(a: WindowLayout | null, b: WindowLayout | null): boolean {
  return a?.field === b?.field && a?.every === b?.every;
}

/** A field without the name of its model: a folder that is moved or copied is the same model. */
function withoutPlace(field: CommittedField): CommittedField {
  const { vector } = field;
  if (!vector?.model) return field;
  return { ...field, vector: { ...vector, model: { name: '', checksum: vector.model.checksum } } };
}
