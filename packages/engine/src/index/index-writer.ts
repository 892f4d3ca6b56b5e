/**
 * The one writer of an index generation, for all of its shards and windows:
 *   1. `add`, `markPlaces`, `settle`, `deleteMarked`, `deleteDocs` change what the next commit will
 *      be; segments are flushed when the memory budget is used up, and stay invisible
 *   2. `commit` flushes, writes live documents and locators that changed, then makes data and
 *      checkpoint visible together by one rename
 *   3. `rollback` forgets everything since the last commit
 * After any error of the disk the writer refuses to go on until `rollback`: what the disk holds is
 * unknown until the commit is read. Files that nobody needs any more are
 * unlinked after a commit; what a crash leaves behind is removed by the next open.
 *
 * A merge is planned (`planMerge`), runs anywhere while the writer goes on, and is installed or
 * dropped (background-merges.ts does that beside; `merge` and `forceMerge` in one go). The files of
 * a planned merge are left alone until then.
 *
 * Long on purpose: the steps of one class share what is in memory, which commit is in force and
 * whether the disk has failed. Code that needs none of that is in segment-set.ts and
 * planned-merges.ts.
 */
import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { partOf, runSteps, type StepOptions, type Steps, takeSteps } from '../base/steps.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { BucketMap } from '../schema/sharding/bucket-map.ts';
import {
  compareWindows,
  type WindowLayout,
  type WindowStart,
  windowName,
} from '../schema/windows.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import type { Merged } from '../segment/merge.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { joinComponents } from '../segment/segment-share.ts';
import { upgradingSegment } from '../segment/upgrade.ts';
import type { Directory } from '../storage/directory.ts';
import { VERIFIED_FILE, Verification } from '../storage/verification.ts';
import { type BuildThreads, unlessStopped } from './build-threads.ts';
import {
  acceptDraft,
  type Checkpoint,
  COMMIT_FILE,
  type Commit,
  type CommittedSkips,
  checkBuild,
  committedField,
  draftCommit,
  draftIn,
  emptyCommit,
  filesOf,
  type PublishCommit,
  readCommit,
  type SegmentLayout,
} from './commits/commit.ts';
import type { DataFiles } from './commits/data-files.ts';
import { PinnedFiles } from './commits/pins.ts';
import type { Duplicate } from './duplicates.ts';
import { openSegments } from './index-snapshot.ts';
import type { MergePlan } from './merges/merge-plan.ts';
import { MERGE_SETTINGS, type MergeSettings } from './merges/merge-policy.ts';
import { PlannedMerges } from './merges/planned-merges.ts';
import { PendingSegment, type PositionsByFile } from './pending-segment.ts';
import { type SegmentBuffer, SegmentBuffers, type WrittenSegment } from './segment-buffers.ts';
import { SegmentSet, type SettledRows, VERDICT } from './segment-set.ts';

export { type KeyBatch, type SettledRows, VERDICT } from './segment-set.ts';

/** Settings of a writer. */
export interface IndexWriterOptions {
  /** Bytes that documents may take in memory before a segment is flushed. Default 256 MiB. */
  readonly memoryBytes?: number;
  readonly definitionVersion?: number;
  /** Number of shards that keys are spread over. Default: as the index was built, or 1. */
  readonly shards?: number;
  /** The buckets of each shard. Default: as the index was built, or equal ranges. */
  readonly map?: BucketMap | undefined;
  /** How documents are cut into windows; null: not. Default: as the index was built, or not. */
  readonly windows?: WindowLayout | null;
  /** Key columns whose numbers are in sorting form. Default: as the index was built, or none. */
  readonly keyNumbers?: readonly number[];
  readonly merge?: MergeSettings;
  /**
   * Threads that build shares of its segments. With them documents are added and flushed in steps
   * only (`addInSteps`, `flushInSteps`).
   */
  readonly threads?: BuildThreads | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Decides over commits of `commitPublished`. Absent: they are in force at once. */
  readonly publish?: PublishCommit | undefined;
}

/** What a commit says besides its segments. */
export interface CommittedState {
  readonly checkpoint: Checkpoint | null;
  readonly files: DataFiles;
  readonly droppedDuplicates?: number;
  readonly skipped?: CommittedSkips | null;
}

const MEMORY_BYTES = 256 * 2 ** 20;

/** Writes an index generation. The caller holds the index's lock: one writer per directory. */
export class IndexWriter {
  readonly #directory: Directory;
  readonly #fields: readonly FieldPlan[];
  readonly #options: IndexWriterOptions;
  readonly #verification: Verification;
  #commit!: Commit;
  #segments = new SegmentSet([], {});
  readonly #merges: PlannedMerges;
  #buffers!: SegmentBuffers;
  #layout!: SegmentLayout;
  /** Segments of which threads still write their shares, in their order. */
  #unfinished: readonly WrittenSegment[] = [];
  #nextSegment = 1;
  #nextRevision = 1;
  #changed = false;
  #failure: unknown = null;
  readonly #pinned: PinnedFiles;

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
    this.#merges = new PlannedMerges({
      directory,
      fields: plans.map(committedField),
      segments: () => this.#segments,
      nextId: () => this.#nextId(),
      open: (entry) => this.#open(entry),
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

  get checkpoint(): Checkpoint | null {
    return this.#commit.checkpoint;
  }

  /** Live documents, uncommitted ones too. */
  get liveDocs(): number {
    const unfinished = this.#unfinished.reduce((sum, { entry }) => sum + entry.docs, 0);
    return this.#segments.liveDocs + unfinished + this.#buffers.docs;
  }

  /** Documents of each shard, uncommitted ones too; documents that were deleted do not count. */
  get shardDocs(): readonly number[] {
    const docs = Array.from({ length: this.#layout.shards }, (_, shard) =>
      this.#buffers.docsOf(shard),
    );
    for (const { shard, liveDocs } of this.#segments.all) docs[shard] += liveDocs;
    for (const { entry } of this.#unfinished) docs[entry.shard ?? 0] += entry.docs;
    return docs;
  }

  /** Documents of each window by time, as `shardDocs`; none if the index has no windows. */
  get windowDocs(): ReadonlyMap<WindowStart, number> {
    const docs = new Map<WindowStart, number>();
    const add = (window: WindowStart | undefined, count: number) => {
      if (window !== undefined) docs.set(window, (docs.get(window) ?? 0) + count);
    };
    for (const { reader, liveDocs } of this.#segments.all) add(reader.entry.window, liveDocs);
    for (const { window, writer } of this.#buffers.all) add(window, writer.docs);
    return new Map([...docs].sort(([a], [b]) => compareWindows(a, b)));
  }

  /** Number of segments on disk, uncommitted ones too. */
  get segments(): number {
    return this.#segments.all.length;
  }

  /** Adds documents. Their keys must not be live (see `duplicates`). */
  add(block: DocumentBlock): void {
    this.#guard(() => {
      if (this.#buffers.overflows(block.docs)) this.#flush();
      this.#take(block);
      if (this.#isFull) runSteps(this.#flushingLargest());
    });
  }

  /**
   * As `add`; a flush that it brings about runs as `flushInSteps`. Threads finish their shares of a
   * segment while the next documents come.
   */
  async addInSteps(block: DocumentBlock, options: StepOptions): Promise<void> {
    if (this.#buffers.overflows(block.docs)) await this.flushInSteps(options);
    this.#guard(() => this.#take(block));
    const wait = this.#buffers.ready();
    if (wait !== null) await this.#untilReady(wait, options);
    if (!this.#isFull) return;
    await this.#endSegments(options);
    await this.#takeSteps(this.#flushingLargest(), options);
  }

  /**
   * Deletes documents of a segment by their numbers, whatever keys and places they have; returns
   * how many were live.
   */
  deleteDocs(segment: string, docs: readonly number[]): number {
    return this.#change((set) => {
      const own = set.all.find(({ reader }) => reader.id === segment);
      return docs.filter((doc) => own?.delete(doc)).length;
    });
  }

  /**
   * Marks the live documents of a data file as gone from their places: all, or those at `positions`
   * (ascending). `settle` finds them again by key, `deleteMarked` deletes the rest.
   */
  markRows(file: number, positions: Int32Array | null): void {
    this.markPositions(new Map([[file, positions]]));
  }

  /** As `markRows`, for many files at the cost of one. */
  markPositions(places: PositionsByFile): void {
    this.#ask(({ all }) => {
      for (const segment of all) segment.mark(places);
    });
  }

  /**
   * Rows that have appeared: those whose key a marked document has take its place. `same` in the
   * answer: the row hash is the same too, so only the locator changes, and that is done. `changed`:
   * the old document is deleted, the row is to be added. `added`: no marked document has the key.
   * Rows that were added since `markRows` are not looked at.
   */
  settle(rows: SettledRows): Uint8Array {
    return this.#guard(() => {
      const verdicts = this.#segments.settle(rows);
      this.#changed ||= verdicts.some((verdict) => verdict !== VERDICT.added);
      return verdicts;
    });
  }

  /** Deletes the documents that are still marked; returns how many there were. */
  deleteMarked(): number {
    return this.#guard(() => {
      const deleted = this.#segments.deleteMarked();
      this.#changed ||= deleted > 0;
      return deleted;
    });
  }

  /** Positions of live documents' rows in a data file, ascending. */
  positionsIn(file: number): Int32Array {
    return this.positionsInAll([file]).get(file) ?? new Int32Array(0);
  }

  /** As `positionsIn`, for many files at the cost of one; files without any are left out. */
  positionsInAll(files: Iterable<number>): ReadonlyMap<number, Int32Array> {
    return this.#ask((set) => set.positionsIn(files));
  }

  /**
   * Keys that several live documents have, at most `limit` of them: what must not be committed. The
   * last commit is taken to have none.
   */
  duplicates(limit = 100): readonly Duplicate[] {
    return this.#ask((set) => runSteps(this.#duplicates(set, limit)));
  }

  /** As `duplicates`, while other work has its turns, as in `flushInSteps`. */
  async duplicatesInSteps(limit: number, options: StepOptions): Promise<readonly Duplicate[]> {
    await this.flushInSteps(options);
    return takeSteps(this.#duplicates(this.#segments, limit), options);
  }

  /** Writes what is in memory as a segment, which stays invisible until `commit`. */
  flush(): void {
    this.#guard(() => this.#flush());
  }

  /**
   * As `flush`, while signals, timers and other work have their turns; the writer is not to be used
   * before it has ended. Throws interrupted soon after the signal aborts: then roll back.
   */
  async flushInSteps(options: StepOptions): Promise<void> {
    await this.#takeSteps(this.#flushing(), options);
    await this.#endSegments(options);
  }

  /**
   * The merge that the policy wants most, or null; segments of merges that run are left out. It is
   * to be installed or dropped.
   */
  planMerge(settings: MergeSettings = this.#settings): MergePlan | null {
    return this.#guard(() => this.#merges.best(settings));
  }

  /**
   * Merges that leave `count` segments per shard and window as far as limits allow, and no deleted
   * document. Each is to be installed or dropped.
   */
  planForced(count = 1, settings: MergeSettings = this.#settings): readonly MergePlan[] {
    return this.#ask(() => this.#merges.forced(count, settings));
  }

  /**
   * Merges that write each of these segments again without its deleted documents. Each is to be
   * installed or dropped.
   */
  planRewrites(segments: ReadonlySet<string>): readonly MergePlan[] {
    return this.#ask(() => this.#merges.each(segments));
  }

  /**
   * Takes a merge's segment in place of its sources, visible at the next commit: deletes and moves
   * made since it was planned are carried over. False, and its files are removed, where its sources
   * are gone (`rollback`). Throws, its files removed and the writer as it was, where the segment is
   * not what was planned.
   */
  installMerge(plan: MergePlan, merged: Merged): boolean {
    this.#guard(() => {});
    const installed = this.#merges.install(plan, merged);
    this.#changed ||= installed;
    return installed;
  }

  /** Forgets a merge that has ended without success and removes the files that it made. */
  dropMerge(plan: MergePlan): void {
    this.#merges.drop(plan);
  }

  /** Merges what the policy says. Visible at the next commit. Returns the number of merges. */
  merge(): number {
    let merges = 0;
    for (let plan = this.planMerge(); plan !== null; plan = this.planMerge()) {
      this.#mergeNow(plan);
      merges++;
    }
    return merges;
  }

  /**
   * Merges down to `count` segments per shard and window as far as limits allow, and drops deleted
   * documents.
   * Visible at the next commit.
   */
  forceMerge(count = 1): number {
    const plans = this.planForced(count);
    for (const plan of plans) this.#mergeNow(plan);
    return plans.length;
  }

  /**
   * Rewrites a segment of format 1 that has not changed since the last commit, visible at the next
   * one; as `flushInSteps`.
   */
  async upgradeInSteps(segment: string, options: StepOptions): Promise<void> {
    await this.#takeSteps(this.#upgrading(segment), options);
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
    this.#guard(() => {
      const former = this.#unchanged(segment);
      const revision = this.#nextRevision++;
      this.#segments.replace([former], this.#open(write(former.entry, revision)));
      this.#changed = true;
    });
  }

  /**
   * Makes everything since the last commit visible, with its checkpoint and data files, in one
   * rename. `droppedDuplicates` are added to the last commit's;
   * without `skipped` its skipped rows stay. On an error either the old commit or the new one is in
   * force, whole.
   */
  commit(state: CommittedState): Commit {
    return this.#guard(() => {
      const commit = this.#draft(state);
      acceptDraft(this.#directory);
      this.#adopt(commit);
      return commit;
    });
  }

  /**
   * As `commit`, if `publish` of the options accepts it. Throws what that throws: then roll back.
   */
  async commitPublished(state: CommittedState): Promise<Commit> {
    const { publish } = this.#options;
    if (publish === undefined) return this.commit(state);
    const commit = this.#guard(() => this.#draft(state));
    const accepted = await this.#untilReady(publish(draftIn(this.#directory, commit)), {});
    this.#guard(() => {
      acceptDraft(this.#directory);
      this.#adopt(commit);
    });
    accepted();
    return commit;
  }

  #draft(state: CommittedState): Commit {
    this.#flush();
    this.#segments.dropDead();
    const { next_field: nextField } = this.#commit;
    const dropped = (this.#commit.dropped_duplicates ?? 0) + (state.droppedDuplicates ?? 0);
    const skipped = state.skipped === undefined ? this.#commit.skipped : state.skipped;
    for (const segment of this.#segments.all) {
      if (segment.changed) segment.seal(this.#directory, this.#nextRevision++);
    }
    return draftCommit(this.#directory, {
      number: this.#commit.number + 1,
      definition_version: this.#options.definitionVersion ?? this.#commit.definition_version,
      next_segment: this.#nextSegment,
      next_revision: this.#nextRevision,
      committed_at: this.#now(),
      fields: this.#fields.map(committedField),
      ...(nextField === undefined ? {} : { next_field: nextField }),
      segments: this.#segments.all.map(({ entry }) => entry),
      ...(this.#layout.shards > 1 ? { shards: this.#layout.shards } : {}),
      ...(this.#layout.map === undefined ? {} : { shard_map: this.#layout.map }),
      ...(this.#layout.windows === null ? {} : { windows: this.#layout.windows }),
      ...(this.#layout.keyNumbers.length > 0 ? { key_numbers: this.#layout.keyNumbers } : {}),
      files: state.files,
      checkpoint: state.checkpoint,
      ...(dropped > 0 ? { dropped_duplicates: dropped } : {}),
      ...(skipped ? { skipped } : {}),
    });
  }

  /**
   * Forgets everything since the last commit, reads that commit again and removes the files of
   * what is forgotten.
   */
  rollback(): void {
    this.#segments.release();
    this.#buffers.clear();
    this.#unfinished = [];
    try {
      this.#load();
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** Gives the pages of its segments back to the system until they are read again. */
  leavePages(): void {
    for (const { reader } of this.#segments.all) reader.leavePages();
  }

  /** Gives files back. What was not committed is removed. */
  close(): void {
    this.#segments.release();
    if (this.#changed && this.#failure === null) this.#sweep();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  get #settings(): MergeSettings {
    return this.#options.merge ?? MERGE_SETTINGS;
  }

  #load(): void {
    const commit = readCommit(this.#directory);
    this.#commit = commit ?? emptyCommit(this.#options.definitionVersion ?? 1, this.#fields);
    const {
      shards = this.#commit.shards ?? 1,
      map = this.#options.shards === undefined ? this.#commit.shard_map : undefined,
      windows = this.#commit.windows ?? null,
      keyNumbers = this.#commit.key_numbers ?? [],
    } = this.#options;
    this.#layout = { shards, map, windows, keyNumbers };
    checkBuild(this.#commit, this.#fields, this.#layout);
    this.#buffers = new SegmentBuffers(this.#fields, this.#layout, this.#options.threads);
    // A merge that still runs goes on writing under the number that it was given.
    this.#nextSegment = Math.max(this.#nextSegment, this.#commit.next_segment);
    this.#nextRevision = this.#commit.next_revision;
    this.#changed = false;
    this.#sweep();
    const readers = openSegments(this.#directory, this.#commit, this.#verification);
    const pending = readers.map((reader) => new PendingSegment(reader));
    this.#segments = new SegmentSet(pending, { shards, map });
  }

  /**
   * Removes files that neither the commit nor a pin names: what a crash or a rollback left behind.
   */
  #sweep(): void {
    const kept = filesOf(this.#commit);
    const names = this.#directory.list();
    const pinned = this.#pinned.keep(names, this.#now());
    for (const name of names) {
      if (name === VERIFIED_FILE || name === COMMIT_FILE) continue;
      if (kept.has(name) || pinned.has(name) || this.#merges.needs(name)) continue;
      this.#directory.remove(name);
    }
  }

  /** Runs a step over all documents, those in memory too. */
  #ask<T>(step: (set: SegmentSet) => T): T {
    return this.#guard(() => {
      this.#flush();
      return step(this.#segments);
    });
  }

  /** As `#ask`, for a step that says how many documents it changed. */
  #change(step: (set: SegmentSet) => number): number {
    const changed = this.#ask(step);
    this.#changed ||= changed > 0;
    return changed;
  }

  /** Runs a step; after an error of the disk no further step runs. */
  #guard<T>(step: () => T): T {
    this.#requireSound();
    try {
      return step();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #requireSound(): void {
    if (this.#failure === null) return;
    const why = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    throw new LhsError('io_error', `the index writer has stopped: ${why}`, {
      hint: 'roll back, or open the index again; the last commit is in force',
      cause: this.#failure,
    });
  }

  #duplicates(set: SegmentSet, limit: number): Steps<readonly Duplicate[]> {
    return set.duplicates(limit, new Set(this.#commit.segments.map(({ id }) => id)));
  }

  #take(block: DocumentBlock): void {
    this.#buffers.add(block);
    this.#changed = true;
    if (this.#layout.windows !== null) this.#limitWindows(this.#layout.windows);
  }

  #limitWindows({ every }: WindowLayout): void {
    const buffered = this.#buffers.all.map(({ window }) => window ?? null);
    if (buffered.length <= 1) return;
    const stored = this.#segments.all.map(({ reader }) => reader.entry.window ?? null);
    const windows = [...new Set<WindowStart>([...stored, ...buffered])];
    if (windows.length <= LIMITS.windows) return;
    const last = windowName(windows[windows.length - 1], every);
    const message = `the dates of the rows need more than ${LIMITS.windows} windows ("${last}")`;
    throw new LhsError('limit_exceeded', message, {
      hint: `choose a longer period than "every: ${every}" in the definition's windows`,
    });
  }

  get #isFull(): boolean {
    return this.#buffers.bytes >= (this.#options.memoryBytes ?? MEMORY_BYTES);
  }

  #flush(): void {
    runSteps(this.#flushing());
    if (this.#unfinished.length === 0) return;
    throw new LhsError('internal', 'a writer with threads was not flushed in steps');
  }

  *#flushing(): Steps<void> {
    const buffers = this.#buffers.all;
    for (const [at, buffer] of buffers.entries()) {
      yield* partOf(this.#flushingBuffer(buffer), at / buffers.length, (at + 1) / buffers.length);
    }
  }

  /** Frees the memory of the largest buffer: its segment is larger than when all are written. */
  *#flushingLargest(): Steps<void> {
    const { largest } = this.#buffers;
    if (largest !== null) yield* this.#flushingBuffer(largest);
  }

  *#flushingBuffer(buffer: SegmentBuffer): Steps<void> {
    const written = yield* this.#buffers.flushing(buffer, this.#directory, this.#nextId());
    if (written.others !== null) this.#unfinished = [...this.#unfinished, written];
    else this.#segments.push(this.#open(written.entry));
  }

  /** Waits for the threads' shares of segments and takes these in. */
  async #endSegments(options: StepOptions): Promise<void> {
    for (const written of this.#unfinished) {
      const others = await this.#untilReady(written.others!, options);
      const components = joinComponents([written.entry.components, ...others]);
      this.#guard(() => this.#segments.push(this.#open({ ...written.entry, components })));
      this.#unfinished = this.#unfinished.filter((other) => other !== written);
    }
  }

  /** Waits for threads; after an error the writer does nothing more. */
  async #untilReady<T>(wait: Promise<T>, { signal }: StepOptions): Promise<T> {
    try {
      return await unlessStopped(wait, signal);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** Takes steps of a flush; after an error the writer does nothing more. */
  async #takeSteps(steps: Steps<void>, options: StepOptions): Promise<void> {
    this.#requireSound();
    try {
      await takeSteps(steps, options);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
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
    return new PendingSegment(SegmentReader.open(this.#directory, entry, this.#verification));
  }

  #nextId(): string {
    return `s${String(this.#nextSegment++).padStart(6, '0')}`;
  }

  #mergeNow(plan: MergePlan): void {
    this.#guard(() => this.#merges.run(plan));
    this.#changed = true;
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
