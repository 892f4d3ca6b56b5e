/**
 * The one writer of an index generation:
 *   1. `add`, `deleteKeys`, `deleteRows`, `moveRows` change what the next commit will be; segments
 *      are flushed when the memory budget is used up, and stay invisible
 *   2. `commit` flushes, writes live documents and locators that changed, then makes data and
 *      checkpoint visible together by one rename (R1)
 *   3. `rollback` forgets everything since the last commit
 * After any error of the disk the writer refuses to go on until `rollback` (R3): what the disk
 * holds is not known, and only reading the commit tells. Files that nobody needs any more are
 * unlinked after a commit; what a crash leaves behind is removed by the next open. Merges run in
 * the caller's thread; `mergePending` is the seam behind which they may move.
 */
import { LhsError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { type SegmentEntry, segmentBytes } from '../segment/entry.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { SegmentWriter } from '../segment/segment-writer.ts';
import type { Directory } from '../storage/directory.ts';
import { VERIFIED_FILE, Verification } from '../storage/verification.ts';
import {
  type Checkpoint,
  COMMIT_FILE,
  type Commit,
  checkPlans,
  committedField,
  emptyCommit,
  filesOf,
  readCommit,
  writeCommit,
} from './commit.ts';
import { type Duplicate, findDuplicates } from './duplicates.ts';
import { openSegments } from './index-snapshot.ts';
import { type MergeTarget, mergePending } from './merge-pending.ts';
import {
  chooseForcedMerges,
  chooseMerges,
  MERGE_SETTINGS,
  type MergeSettings,
  type SegmentSize,
} from './merge-policy.ts';
import { PendingSegment, type RowPlace } from './pending-segment.ts';

/** Keys in a row: key i = bytes[offsets[i] .. offsets[i + 1]), encoded as schema/key.ts says. */
export interface KeyBatch {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

/** Rows of one data file that have appeared: keys, row hashes and positions run in parallel. */
export interface SettledRows {
  readonly keys: KeyBatch;
  readonly hashes: BigUint64Array;
  readonly file: number;
  readonly positions: Int32Array;
}

/** What `settle` says of a row. */
export const VERDICT = Object.freeze({ added: 0, same: 1, changed: 2 });

/** What a writer may be told. */
export interface IndexWriterOptions {
  /** Bytes that documents may take in memory before a segment is flushed. Default 256 MiB. */
  readonly memoryBytes?: number;
  readonly definitionVersion?: number;
  readonly merge?: MergeSettings;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const MEMORY_BYTES = 256 * 2 ** 20;

/** Writes an index generation. One at a time a directory; who opens it holds the index's lock. */
export class IndexWriter {
  readonly #directory: Directory;
  readonly #plans: readonly FieldPlan[];
  readonly #options: IndexWriterOptions;
  readonly #verification: Verification;
  #commit!: Commit;
  #segments: PendingSegment[] = [];
  #buffer: SegmentWriter;
  #nextSegment = 1;
  #changed = false;
  #failure: unknown = null;

  private constructor(
    directory: Directory,
    plans: readonly FieldPlan[],
    options: IndexWriterOptions,
  ) {
    this.#directory = directory;
    this.#plans = plans;
    this.#options = options;
    this.#verification = new Verification(directory);
    this.#buffer = new SegmentWriter(plans);
    this.#load();
  }

  /**
   * Opens the newest commit of a directory (or none) for writing and removes files that no commit
   * names. Throws corrupt_index, and invalid_argument when the plans differ from those that the
   * index was built with.
   */
  static open(
    directory: Directory,
    plans: readonly FieldPlan[],
    options: IndexWriterOptions = {},
  ): IndexWriter {
    return new IndexWriter(directory, plans, options);
  }

  /** The last commit; number 0 before the first. */
  get lastCommit(): Commit {
    return this.#commit;
  }

  get checkpoint(): Checkpoint | null {
    return this.#commit.checkpoint;
  }

  /** Live documents, uncommitted ones too. */
  get liveDocs(): number {
    return this.#segments.reduce((sum, { liveDocs }) => sum + liveDocs, this.#buffer.docs);
  }

  /** Number of segments on disk, uncommitted ones too. */
  get segments(): number {
    return this.#segments.length;
  }

  /** Adds documents. Their keys must not be live (see `duplicates`). */
  add(block: DocumentBlock): void {
    this.#guard(() => {
      if (this.#buffer.docs + block.docs > LIMITS.segmentDocs) this.#flush();
      this.#buffer.add(block);
      this.#changed = true;
      if (this.#buffer.bytes >= (this.#options.memoryBytes ?? MEMORY_BYTES)) this.#flush();
    });
  }

  /** Deletes the documents with these keys; returns how many there were. */
  deleteKeys(keys: KeyBatch): number {
    return this.#eachKey(keys, (segment, doc) => segment.delete(doc));
  }

  /**
   * Deletes the documents whose rows lie at these positions of a data file; returns how many
   * there were.
   */
  deleteRows(file: number, positions: Int32Array): number {
    return this.#guard(() => {
      this.#flush();
      let deleted = 0;
      for (const position of positions) {
        for (const segment of this.#segments) {
          for (const doc of segment.findRow(file, position)) {
            if (segment.delete(doc)) deleted++;
          }
        }
      }
      this.#changed ||= deleted > 0;
      return deleted;
    });
  }

  /**
   * Says where the rows of these keys lie now (compaction of the table): only locators change.
   * Returns how many of the keys there were.
   */
  moveRows(keys: KeyBatch, files: Int32Array, positions: Int32Array): number {
    return this.#eachKey(keys, (segment, doc, i) => {
      segment.move(doc, { file: files[i], position: positions[i] });
      return true;
    });
  }

  /**
   * Marks the live documents of a data file as gone from their places: all, or those at `positions`
   * (ascending). `settle` finds them again by key, `deleteMarked` deletes the rest.
   */
  markRows(file: number, positions: Int32Array | null): void {
    this.#guard(() => {
      this.#flush();
      for (const segment of this.#segments) segment.mark(file, positions);
    });
  }

  /**
   * Rows that have appeared: those whose key a marked document has take its place. `same` in the
   * answer: the row hash is the same too, so only the locator changes, and that is done. `changed`:
   * the old document is deleted, the row is to be added. `added`: no marked document has the key.
   */
  settle(rows: SettledRows): Uint8Array {
    return this.#guard(() => {
      const { keys, hashes, file, positions } = rows;
      const verdicts = new Uint8Array(positions.length).fill(VERDICT.added);
      for (let i = 0; i < positions.length; i++) {
        const [from, to] = [keys.offsets[i], keys.offsets[i + 1]];
        for (const segment of this.#segments) {
          const doc = segment.reader.keys.findIn(keys.bytes, from, to);
          if (doc < 0 || !segment.isMarked(doc)) continue;
          segment.unmark(doc);
          const same = segment.reader.keys.rowHashes[doc] === hashes[i];
          if (same) segment.move(doc, { file, position: positions[i] });
          else segment.delete(doc);
          verdicts[i] = same ? VERDICT.same : VERDICT.changed;
          this.#changed = true;
          break;
        }
      }
      return verdicts;
    });
  }

  /** Deletes the documents that are still marked; returns how many there were. */
  deleteMarked(): number {
    return this.#guard(() => {
      const deleted = this.#segments.reduce((sum, segment) => sum + segment.deleteMarked(), 0);
      this.#changed ||= deleted > 0;
      return deleted;
    });
  }

  /** Positions of live documents' rows in a data file, ascending. */
  positionsIn(file: number): Int32Array {
    return this.#guard(() => {
      this.#flush();
      const parts = this.#segments.map((segment) => segment.positionsIn(file));
      const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      return all.sort();
    });
  }

  /** Where the row of a live document with this key lies, or null when there is none. */
  findKey(key: Uint8Array): RowPlace | null {
    return this.#guard(() => {
      this.#flush();
      for (const segment of this.#segments) {
        const doc = segment.reader.keys.find(key);
        if (doc >= 0) return segment.place(doc);
      }
      return null;
    });
  }

  /**
   * Keys that several live documents have, at most `limit` of them: what must not be committed. The
   * last commit is taken to have none.
   */
  duplicates(limit = 100): readonly Duplicate[] {
    return this.#guard(() => {
      this.#flush();
      const committed = new Set(this.#commit.segments.map(({ id }) => id));
      return findDuplicates(this.#segments, limit, ({ reader }) => committed.has(reader.id));
    });
  }

  /** Writes what is in memory as a segment, which stays invisible until `commit`. */
  flush(): void {
    this.#guard(() => this.#flush());
  }

  /** Merges what the policy says. Visible at the next commit. Returns the number of merges. */
  merge(): number {
    return this.#guard(() => {
      this.#dropDead();
      return this.#mergeGroups(chooseMerges(this.#sizes(), this.#settings));
    });
  }

  /**
   * Merges down to `count` segments as far as limits allow, and drops deleted documents. Visible
   * at the next commit.
   */
  forceMerge(count = 1): number {
    return this.#guard(() => {
      this.#flush();
      this.#dropDead();
      return this.#mergeGroups(chooseForcedMerges(this.#sizes(), count, this.#settings));
    });
  }

  /**
   * Makes everything since the last commit visible, with its checkpoint and the table of data
   * files (all of it, by number), in one rename. `droppedDuplicates` are added to the last commit's.
   * On an error either the old commit or the new one is in force, whole.
   */
  commit(state: {
    checkpoint: Checkpoint | null;
    files: readonly string[];
    droppedDuplicates?: number;
  }): Commit {
    return this.#guard(() => {
      this.#flush();
      this.#dropDead();
      let revision = this.#commit.next_revision;
      const dropped = (this.#commit.dropped_duplicates ?? 0) + (state.droppedDuplicates ?? 0);
      for (const segment of this.#segments) {
        if (segment.changed) segment.seal(this.#directory, revision++);
      }
      const commit: Commit = {
        number: this.#commit.number + 1,
        definition_version: this.#options.definitionVersion ?? this.#commit.definition_version,
        next_segment: this.#nextSegment,
        next_revision: revision,
        committed_at: (this.#options.now ?? Date.now)(),
        fields: this.#plans.map(committedField),
        segments: this.#segments.map(({ entry }) => entry),
        files: state.files,
        checkpoint: state.checkpoint,
        ...(dropped > 0 ? { dropped_duplicates: dropped } : {}),
      };
      writeCommit(this.#directory, commit);
      this.#adopt(commit);
      return commit;
    });
  }

  /**
   * Forgets everything since the last commit, reads that commit again and removes the files of
   * what is forgotten.
   */
  rollback(): void {
    this.#release();
    this.#buffer = new SegmentWriter(this.#plans);
    this.#failure = null;
    this.#load();
  }

  /** Gives files back. What was not committed is removed. */
  close(): void {
    this.#release();
    if (this.#changed && this.#failure === null) this.#sweep();
  }

  get #settings(): MergeSettings {
    return this.#options.merge ?? MERGE_SETTINGS;
  }

  #load(): void {
    const commit = readCommit(this.#directory);
    this.#commit = commit ?? emptyCommit(this.#options.definitionVersion ?? 1, this.#plans);
    checkPlans(this.#commit, this.#plans);
    this.#nextSegment = this.#commit.next_segment;
    this.#changed = false;
    this.#sweep();
    const readers = openSegments(this.#directory, this.#commit, this.#verification);
    this.#segments = readers.map((reader) => new PendingSegment(reader));
  }

  /** Removes files that the commit does not name: what a crash or a rollback left behind. */
  #sweep(): void {
    const kept = filesOf(this.#commit);
    for (const name of this.#directory.list()) {
      if (name === VERIFIED_FILE || name === COMMIT_FILE || kept.has(name)) continue;
      this.#directory.remove(name);
    }
  }

  #release(): void {
    for (const { reader } of this.#segments) reader.release();
    this.#segments = [];
  }

  /** Runs a step; after an error of the disk no further step runs. */
  #guard<T>(step: () => T): T {
    if (this.#failure !== null) {
      const why = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
      throw new LhsError('io_error', `the index writer has stopped: ${why}`, {
        hint: 'roll back, or open the index again; the last commit is in force',
        cause: this.#failure,
      });
    }
    try {
      return step();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #flush(): void {
    if (this.#buffer.docs === 0) return;
    const entry = this.#buffer.finish(this.#directory, this.#nextId());
    this.#buffer = new SegmentWriter(this.#plans);
    this.#segments.push(this.#open(entry));
  }

  #open(entry: SegmentEntry): PendingSegment {
    return new PendingSegment(SegmentReader.open(this.#directory, entry, this.#verification));
  }

  #target(): MergeTarget {
    return { id: this.#nextId(), open: (entry) => this.#open(entry) };
  }

  #nextId(): string {
    return `s${String(this.#nextSegment++).padStart(6, '0')}`;
  }

  #eachKey(
    keys: KeyBatch,
    visit: (segment: PendingSegment, doc: number, i: number) => boolean,
  ): number {
    return this.#guard(() => {
      this.#flush();
      let found = 0;
      for (let i = 0; i + 1 < keys.offsets.length; i++) {
        for (const segment of this.#segments) {
          const [from, to] = [keys.offsets[i], keys.offsets[i + 1]];
          const doc = segment.reader.keys.findIn(keys.bytes, from, to);
          if (doc >= 0 && visit(segment, doc, i)) found++;
        }
      }
      this.#changed ||= found > 0;
      return found;
    });
  }

  /** Leaves out segments without a living document. */
  #dropDead(): void {
    for (const { liveDocs, reader } of this.#segments) if (liveDocs === 0) reader.release();
    this.#segments = this.#segments.filter(({ liveDocs }) => liveDocs > 0);
  }

  #sizes(): readonly SegmentSize[] {
    return this.#segments.map(({ docs, deletedDocs, entry }) => ({
      docs,
      deletedDocs,
      bytes: segmentBytes(entry),
    }));
  }

  #mergeGroups(groups: readonly (readonly number[])[]): number {
    if (groups.length === 0) return 0;
    const merged = new Map<number, PendingSegment>();
    const gone = new Set<PendingSegment>();
    for (const group of groups) {
      const sources = group.map((place) => this.#segments[place]);
      merged.set(group[0], mergePending(sources, this.#plans, this.#directory, this.#target()));
      for (const source of sources) gone.add(source);
    }
    this.#segments = this.#segments.flatMap((segment, place) => {
      const replacement = merged.get(place);
      if (replacement !== undefined) return [replacement];
      return gone.has(segment) ? [] : [segment];
    });
    for (const { reader } of gone) reader.release();
    this.#changed = true;
    return groups.length;
  }

  /**
   * After the rename: the new commit is in force. Files that only the old one needed go; a
   * failure leaves an orphan.
   */
  #adopt(commit: Commit): void {
    this.#commit = commit;
    this.#changed = false;
    try {
      this.#sweep();
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
    }
  }
}
