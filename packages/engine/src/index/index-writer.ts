/**
 * The one writer of an index generation, for all of its shards and windows:
 *   1. `add`, `markPlaces`, `settle`, `deleteMarked`, `deleteDocs` change what the next commit will
 *      be; segments are flushed when the memory budget is used up, and stay invisible
 *   2. `commit` flushes, writes live documents and locators that changed, then makes data and
 *      checkpoint visible together by one rename
 *   3. `rollback` forgets everything since the last commit
 * After any error of the disk the writer refuses to go on until `rollback`: what the disk holds is
 * unknown until the commit is read. Files that nobody needs any more are unlinked after a commit;
 * what a crash leaves behind is removed by the next open.
 */
import { LhsError } from '@lakehouse-search/contract';
import { type StepOptions, type Steps, takeSteps } from '../base/steps.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { WindowStart } from '../schema/windows.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { upgradingSegment } from '../segment/upgrade.ts';
import type { Directory } from '../storage/directory.ts';
import { Verification } from '../storage/verification.ts';
import {
  acceptDraft,
  COMMIT_FILE,
  type Commit,
  checkBuild,
  committedField,
  draftCommit,
  draftIn,
  emptyCommit,
  readCommit,
  type SegmentLayout,
} from './commits/commit.ts';
import { type CommittedState, nextCommit } from './commits/next-commit.ts';
import { PinnedFiles } from './commits/pins.ts';
import type { Duplicate } from './duplicates.ts';
import { openSegments } from './index-snapshot.ts';
import { liveByShard, liveByWindow } from './live-docs.ts';
import { PlannedMerges } from './merges/planned-merges.ts';
import type { PendingSegment, PositionsByFile } from './pending-segment.ts';
import { SegmentBuffers } from './segment-buffers.ts';
import { SegmentFlushes } from './segment-flushes.ts';
import { SegmentSet, type SettledRows, VERDICT } from './segment-set.ts';
import { WriteGuard } from './write-guard.ts';
import type { IndexWriterOptions } from './writer-options.ts';

export { type KeyBatch, type SettledRows, VERDICT } from './segment-set.ts';

/** Writes an index generation. The caller holds the index's lock: one writer per directory. */
export class IndexWriter {
  readonly merges: PlannedMerges;
  readonly #directory: Directory;
  readonly #fields: readonly FieldPlan[];
  readonly #options: IndexWriterOptions;
  readonly #verification: Verification;
  #commit!: Commit;
  #segments = new SegmentSet([], {});
  #flushes!: SegmentFlushes;
  #layout!: SegmentLayout;
  #nextSegment = 1;
  #nextRevision = 1;
  #changed = false;
  readonly #guard = new WriteGuard();
  readonly #pinned: PinnedFiles;
  readonly #now: () => number;

  private constructor(
    directory: Directory,
    plans: readonly FieldPlan[],
    options: IndexWriterOptions,
  ) {
    this.#directory = directory;
    this.#fields = plans;
    this.#options = options;
    this.#verification = new Verification(directory);
    this.#pinned = new PinnedFiles(directory);
    this.#now = options.now ?? Date.now;
    this.merges = new PlannedMerges({
      directory,
      guard: this.#guard,
      fields: plans.map(committedField),
      settings: options.merge,
      flush: () => this.#flushes.flush(),
      segments: () => this.#segments,
      nextId: () => this.#nextId(),
      open: (entry) => this.#open(entry),
      changed: () => {
        this.#changed = true;
      },
    });
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

  /** Live documents, uncommitted ones too. */
  get liveDocs(): number {
    const { unfinished, buffers } = this.#flushes;
    return unfinished.reduce((sum, { docs }) => sum + docs, this.#segments.liveDocs + buffers.docs);
  }

  /** Documents of each shard, uncommitted ones too; documents that were deleted do not count. */
  get shardDocs(): readonly number[] {
    return liveByShard(this.#segments, this.#flushes, this.#layout.shards);
  }

  /** Documents of each window by time, as `shardDocs`; none if the index has no windows. */
  get windowDocs(): ReadonlyMap<WindowStart, number> {
    return liveByWindow(this.#segments, this.#flushes);
  }

  /** Number of segments on disk, uncommitted ones too. */
  get segments(): number {
    return this.#segments.all.length;
  }

  /** Adds documents. Their keys must not be live (see `duplicatesInSteps`). */
  add(block: DocumentBlock): void {
    this.#changed = true;
    this.#guard.run(() => this.#flushes.add(block));
  }

  /**
   * As `add`; a flush that it brings about runs as `flushInSteps`. Threads finish their shares of a
   * segment while the next documents come.
   */
  addInSteps(block: DocumentBlock, options: StepOptions): Promise<void> {
    this.#changed = true;
    return this.#flushes.addInSteps(block, options);
  }

  /**
   * Deletes documents of a segment by their numbers, whatever keys and places they have; returns
   * how many were live.
   */
  deleteDocs(segment: string, docs: readonly number[]): number {
    return this.#ask(({ all }) => {
      const own = all.find(({ reader }) => reader.id === segment);
      const deleted = docs.filter((doc) => own?.delete(doc)).length;
      this.#changed ||= deleted > 0;
      return deleted;
    });
  }

  /**
   * Marks the live documents of data files as gone from their places: all, or those at positions
   * (ascending). `settle` finds them again by key, `deleteMarked` deletes the rest.
   */
  markPositions(places: PositionsByFile): void {
    this.#ask(({ all }) => {
      for (const segment of all) segment.mark(places);
    });
  }

  /**
   * Rows that have appeared: those whose key a marked document has take its place. `same` in the
   * answer: the row hash is the same too, so only the locator changes, and that is done. `changed`:
   * the old document is deleted, the row is to be added. `added`: no marked document has the key.
   * Rows that were added since `markPositions` are not looked at.
   */
  settle(rows: SettledRows): Uint8Array {
    return this.#guard.run(() => {
      const verdicts = this.#segments.settle(rows);
      this.#changed ||= verdicts.some((verdict) => verdict !== VERDICT.added);
      return verdicts;
    });
  }

  /** Deletes the documents that are still marked; returns how many there were. */
  deleteMarked(): number {
    return this.#guard.run(() => {
      const deleted = this.#segments.deleteMarked();
      this.#changed ||= deleted > 0;
      return deleted;
    });
  }

  /** Positions of live documents' rows in data files, ascending; no entry for a file without. */
  positionsIn(files: Iterable<number>): ReadonlyMap<number, Int32Array> {
    return this.#ask((set) => set.positionsIn(files));
  }

  /**
   * Keys that several live documents have, at most `limit` of them: what must not be committed. The
   * last commit is taken to have none. Other work has its turns, as in `flushInSteps`.
   */
  async duplicatesInSteps(limit: number, options: StepOptions): Promise<readonly Duplicate[]> {
    await this.flushInSteps(options);
    const sound = new Set(this.#commit.segments.map(({ id }) => id));
    return takeSteps(this.#segments.duplicates(limit, sound), options);
  }

  /** Writes what is in memory as a segment, which stays invisible until `commit`. */
  flush(): void {
    this.#guard.run(() => this.#flushes.flush());
  }

  /**
   * As `flush`, while signals, timers and other work have their turns; the writer is not to be used
   * before it has ended. Throws interrupted soon after the signal aborts: then roll back.
   */
  flushInSteps(options: StepOptions): Promise<void> {
    return this.#flushes.flushInSteps(options);
  }

  /**
   * Rewrites a segment of format 1 that has not changed since the last commit, visible at the next
   * one; as `flushInSteps`.
   */
  async upgradeInSteps(segment: string, options: StepOptions): Promise<void> {
    await this.#guard.take(this.#upgrading(segment), options);
  }

  /**
   * Puts the segment of another entry, which has the same documents, in place of one that has not
   * changed since the last commit; visible at the next one. `write` writes the files of the entry;
   * new names end in the revision.
   */
  replaceSegment(
    segment: string,
    write: (entry: SegmentEntry, revision: number) => SegmentEntry,
  ): void {
    this.#guard.run(() => {
      const former = this.#unchanged(segment);
      const revision = this.#nextRevision++;
      this.#segments.replace([former], this.#open(write(former.entry, revision)));
      this.#changed = true;
    });
  }

  /** Adds the segments of a part of a build, whose files are here. Throws as `open`. */
  take(part: Commit): void {
    this.#guard.run(() => {
      checkBuild(part, this.#fields, this.#layout);
      this.#segments.push(...part.segments.map((entry) => this.#open(entry)));
      this.#nextSegment = Math.max(this.#nextSegment, part.next_segment);
      this.#nextRevision = Math.max(this.#nextRevision, part.next_revision);
      this.#changed = true;
    });
  }

  /**
   * Makes everything since the last commit visible, with its checkpoint and data files, in one
   * rename. `droppedDuplicates` are added to those of the last commit; without `skipped` its
   * skipped rows stay. On an error either the old commit or the new one is in force, whole.
   */
  commit(state: CommittedState): Commit {
    return this.#guard.run(() => this.#accept(this.#draft(state)));
  }

  /**
   * As `commit`, if `publish` of the options accepts it. Throws what that throws: then roll back.
   */
  async commitPublished(state: CommittedState): Promise<Commit> {
    const { publish } = this.#options;
    if (publish === undefined) return this.commit(state);
    const commit = this.#guard.run(() => this.#draft(state));
    const accepted = await this.#guard.wait(publish(draftIn(this.#directory, commit)), {});
    this.#guard.run(() => this.#accept(commit));
    accepted();
    return commit;
  }

  #draft(state: CommittedState): Commit {
    this.#flushes.flush();
    this.#segments.dropDead();
    for (const segment of this.#segments.all) {
      if (segment.changed) segment.seal(this.#directory, this.#nextRevision++);
    }
    return draftCommit(this.#directory, {
      ...nextCommit(this.#commit, state, this.#layout),
      definition_version: this.#options.definitionVersion ?? this.#commit.definition_version,
      next_segment: this.#nextSegment,
      next_revision: this.#nextRevision,
      committed_at: this.#now(),
      fields: this.#fields.map(committedField),
      segments: this.#segments.all.map(({ entry }) => entry),
    });
  }

  /**
   * Forgets everything since the last commit, reads that commit again and removes the files of
   * what is forgotten.
   */
  rollback(): void {
    this.#segments.release();
    this.#flushes.buffers.clear();
    this.#guard.reset();
    this.#guard.run(() => this.#load());
  }

  /** Gives the pages of its segments back to the system until they are read again. */
  leavePages(): void {
    for (const { reader } of this.#segments.all) reader.leavePages();
  }

  /** Gives files back. What was not committed is removed. */
  close(): void {
    this.#segments.release();
    if (this.#changed && this.#guard.isSound) this.#sweep();
  }

  #load(): void {
    const commit = readCommit(this.#directory);
    const { definitionVersion = 1, firstSegment } = this.#options;
    this.#commit = commit ?? emptyCommit(definitionVersion, this.#fields, firstSegment);
    const {
      shards = this.#commit.shards ?? 1,
      map = this.#options.shards === undefined ? this.#commit.shard_map : undefined,
      windows = this.#commit.windows ?? null,
      keyNumbers = this.#commit.key_numbers ?? [],
    } = this.#options;
    this.#layout = { shards, map, windows, keyNumbers };
    checkBuild(this.#commit, this.#fields, this.#layout);
    const buffers = new SegmentBuffers(this.#fields, this.#layout, this.#options.threads);
    this.#flushes = new SegmentFlushes(buffers, {
      directory: this.#directory,
      guard: this.#guard,
      windows,
      memoryBytes: this.#options.memoryBytes,
      stored: () => this.#segments.all.map(({ reader }) => reader.entry.window ?? null),
      nextId: () => this.#nextId(),
      push: (entry) => this.#segments.push(this.#open(entry)),
    });
    // A merge that still runs goes on writing under the number that it was given.
    this.#nextSegment = Math.max(this.#nextSegment, this.#commit.next_segment);
    this.#nextRevision = this.#commit.next_revision;
    this.#changed = false;
    this.#sweep();
    const readers = openSegments(this.#directory, this.#commit, this.#verification);
    this.#segments = new SegmentSet(readers, { shards, map });
  }

  /** Removes files that neither the commit nor a pin names: a crash or a rollback left them. */
  #sweep(): void {
    for (const name of this.#pinned.unnamed(this.#commit, this.#now())) {
      if (name !== COMMIT_FILE && !this.merges.needs(name)) this.#directory.remove(name);
    }
  }

  /** Runs a step over all documents, those in memory too. */
  #ask<T>(step: (set: SegmentSet) => T): T {
    return this.#guard.run(() => {
      this.#flushes.flush();
      return step(this.#segments);
    });
  }

  *#upgrading(id: string): Steps<void> {
    const former = this.#unchanged(id);
    const entry = yield* upgradingSegment(former.reader, former.entry, this.#directory);
    this.#segments.replace([former], this.#open(entry));
    this.#changed = true;
  }

  #unchanged(id: string): PendingSegment {
    const segment = this.#segments.all.find(({ reader }) => reader.id === id);
    if (segment !== undefined && !segment.changed) return segment;
    throw new LhsError('internal', `segment ${id} cannot be replaced: it has changed or is gone`);
  }

  #open(entry: SegmentEntry): PendingSegment {
    return this.#segments.pending(SegmentReader.open(this.#directory, entry, this.#verification));
  }

  #nextId(): string {
    return `s${String(this.#nextSegment++).padStart(6, '0')}`;
  }

  /** Puts a draft in force. Files that only the old one needed go; a failure leaves an orphan. */
  #accept(commit: Commit): Commit {
    acceptDraft(this.#directory);
    this.#commit = commit;
    this.#changed = false;
    try {
      this.#sweep();
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
    }
    return commit;
  }
}
