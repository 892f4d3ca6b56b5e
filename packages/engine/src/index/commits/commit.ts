/**
 * A commit: everything that an index is at one moment, as one framed file named `commit` in the
 * generation's folder. It is replaced by one atomic rename after all that it names is on disk;
 * nothing else makes data visible. commit-format.ts has its bytes.
 */
import { type ErrorAdvice, LhsError } from '@lakehouse-search/contract';
import type { FieldType, Similarity, VectorIndex } from '../../schema/definition.ts';
import type { BuiltAs, FieldPlan, VectorPlan } from '../../schema/field-plan.ts';
import type { BucketMap } from '../../schema/sharding/bucket-map.ts';
import type { WindowLayout } from '../../schema/windows.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { type Directory, writeFile } from '../../storage/directory.ts';
import { framed, readFramed, writeFramed } from '../../storage/frame.ts';
import { COMMIT_FORMAT, decodeCommit, encodeCommit } from './commit-format.ts';
import { type DataFiles, NO_FILES, writePages } from './data-files.ts';

export const COMMIT_FILE = 'commit';
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
  /** Entries of the snapshot's manifests, as far as they have been followed. */
  readonly data_files: number;
  /** Delete files and deletion vectors of these. */
  readonly delete_files: number;
  /** The branch or tag that the definition followed; absent: the table's current snapshot. */
  readonly ref?: string;
  /**
   * Snapshots that were reached before this one, the latest first, at most
   * `LIMITS.appliedSnapshots`: a batch that ends at one of them was applied already.
   */
  readonly applied?: readonly string[];
  /**
   * Present while a staged generation is being built: the data files of the snapshot that are
   * complete have entries, and the others have none. Such a commit is never live.
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
  readonly files: DataFiles;
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

/** Skipped rows: their number, and the reasons of the first. Their positions are in `files`. */
export interface CommittedSkips {
  readonly rows: number;
  /** At most `LIMITS.skippedRowsShown`. */
  readonly first: readonly {
    readonly file: number;
    readonly position: number;
    readonly key?: string;
    readonly reason: string;
  }[];
}

/** The commit of an index that has none yet. */
export function emptyCommit(
  definitionVersion: number,
  plans: readonly FieldPlan[],
  firstSegment = 1,
): Commit {
  return {
    format: COMMIT_FORMAT,
    number: 0,
    definition_version: definitionVersion,
    next_segment: firstSegment,
    next_revision: 1,
    committed_at: 0,
    fields: plans.map(committedField),
    segments: [],
    files: NO_FILES,
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

/**
 * The commit of a directory, or null when there is none yet; pages of data files of `former` are
 * shared. Throws corrupt_index.
 */
export function readCommit(directory: Directory, former?: Commit): Commit | null {
  if (!directory.list().includes(COMMIT_FILE)) return null;
  const payload = readFramed(directory, COMMIT_FILE, 'commit');
  return decodeCommit(directory, COMMIT_FILE, payload, former);
}

/**
 * Makes a commit visible: everything it names must be finished (fsynced) before, but for new pages
 * of data files, which are written here. Returns the commit with these. After an error the old
 * commit or the new one is in force, whole; which, only reading tells.
 */
export function writeCommit(directory: Directory, draft: Commit): Commit {
  const commit = draftCommit(directory, draft);
  acceptDraft(directory);
  return commit;
}

/** The first step of `writeCommit`: all is on disk, and the former commit in force. */
export function draftCommit(directory: Directory, draft: Commit): Commit {
  const files = writePages(directory, draft.files, draft.number);
  const commit = { ...draft, format: COMMIT_FORMAT, files };
  directory.sync();
  writeFramed(directory, DRAFT_FILE, 'commit', [encodeCommit(commit)]);
  return commit;
}

/** The last step of `writeCommit`. */
export const acceptDraft = (directory: Directory): void =>
  directory.rename(DRAFT_FILE, COMMIT_FILE);

/** A commit of which all is on disk, before it is in force. */
export interface DraftCommit {
  /** The folder of its generation. */
  readonly folder: string;
  readonly commit: Commit;
  /** Its file. */
  readonly bytes: Uint8Array;
}

/** Writes the file of a commit as a draft; returns the commit. Throws corrupt_index, disk_full. */
export function writeDraft(directory: Directory, bytes: Uint8Array): Commit {
  if (directory.list().includes(DRAFT_FILE)) directory.remove(DRAFT_FILE);
  writeFile(directory, DRAFT_FILE, (writer) => writer.write(bytes));
  return decodeCommit(directory, COMMIT_FILE, readFramed(directory, DRAFT_FILE, 'commit'));
}

/** The commit in the bytes of its file, which are a draft for that time. Throws as above. */
export function commitOfBytes(directory: Directory, bytes: Uint8Array): Commit {
  const commit = writeDraft(directory, bytes);
  directory.remove(DRAFT_FILE);
  return commit;
}

/** The file of a commit whose pages of data files are on disk. */
export const commitFileOf = (commit: Commit): Uint8Array => framed('commit', encodeCommit(commit));

/** A commit with its file: the draft, or that of a generation which is not live yet. */
export const draftIn = (directory: Directory, commit: Commit, file = DRAFT_FILE): DraftCommit => ({
  folder: directory.path,
  commit,
  bytes: directory.read(file),
});

/** A definition under which a commit was written. */
export interface CommittedUnder {
  /** Its text. */
  readonly definition: string;
  readonly definitionVersion: number;
  readonly baseDir: string;
}

/**
 * Makes a commit the newest one of its index in a store. Throws if it may not be in force; what it
 * returns is to be called once it is. `under`: a definition that is not registered yet.
 */
export type PublishCommit = (draft: DraftCommit, under?: CommittedUnder) => Promise<() => void>;

/** Names of all files that a commit needs, itself included. */
export function filesOf(commit: Commit): ReadonlySet<string> {
  const names = new Set([COMMIT_FILE]);
  for (const segment of commit.segments) {
    for (const { file } of segment.components) names.add(file);
  }
  for (const { stored } of commit.files.pages) if (stored !== null) names.add(stored.file);
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

/** The commit of a folder. Throws index_not_built, and as `readCommit`. */
export function requireCommit(directory: Directory): Commit {
  const commit = readCommit(directory);
  if (commit !== null) return commit;
  throw new LhsError('index_not_built', `"${directory.path}" holds no commit`, {
    hint: 'a reindex builds the index',
    next: [{ step: 'reindex' }],
  });
}

/** Documents of a commit that are not deleted. */
export const liveDocs = ({ segments }: Commit): number =>
  segments.reduce((sum, { docs, deletedDocs }) => sum + docs - deletedDocs, 0);
