/**
 * Brings the segments of a staged commit up to its fields: each segment gets what it lacks
 * (missing-parts.ts). A commit that keeps the segments that are complete is written at most once
 * per minute, so a crash costs no more. When this throws, the caller discards the folder.
 */
import type { CallContext, Progress } from '@lakehouse-search/contract';
import type { FileScan, SourceTable } from '@lakehouse-search/lake';
import { takeSteps } from '../base/steps.ts';
import type { ModelPlaces } from '../documents/vectors/models-in-use.ts';
import { VectorStage } from '../documents/vectors/vector-stage.ts';
import {
  type Commit,
  checkBuild,
  commitBytes,
  filesOf,
  readCommit,
  writeCommit,
} from '../index/commits/commit.ts';
import { asCommitted } from '../index/merges/stored-plans.ts';
import { layoutOf, type Mapping } from '../schema/mapping.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { isFormatOne, upgradingSegment } from '../segment/upgrade.ts';
import { fromSource, refuseAborted } from '../source/source-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { Verification } from '../storage/verification.ts';
import { createFileTable } from '../sync/batch/file-table.ts';
import { SkippedRows } from '../sync/batch/skipped-rows.ts';
import type { RebuildResult } from '../sync/build/rebuild.ts';
import { fillSegments, type LackingSegment } from './fill-segments.ts';
import { missingParts } from './missing-parts.ts';

/** Segments are read together up to so many documents: their new components are in memory. */
const GROUP_DOCS = 2 ** 20;
/** Complete segments are committed at most this often. */
const SAVE_MS = 60_000;

/** What to build, and where. */
export interface FieldsRequest extends CallContext {
  readonly table: SourceTable;
  /** The new mapping, with the field ids of the commit. */
  readonly mapping: Mapping;
  /** The staged folder, with a partial commit that has the fields of the mapping. */
  readonly directory: Directory;
  readonly generation: number;
  readonly models: ModelPlaces;
  /** Milliseconds between commits of complete segments. Default: a minute. */
  readonly saveMs?: number | undefined;
}

/**
 * Builds what is missing and commits it. Throws as `fillSegments`, invalid_argument if the commit
 * has other fields.
 */
export async function rebuildFields(request: FieldsRequest): Promise<RebuildResult> {
  const stage = new VectorStage(request.models);
  const build = new FieldsBuild(request, stage);
  try {
    await build.run();
    return build.result();
  } finally {
    build.close();
    await stage.close();
  }
}

class FieldsBuild {
  readonly #request: FieldsRequest;
  readonly #stage: VectorStage;
  readonly #plans;
  readonly #verification: Verification;
  readonly #skipped: SkippedRows;
  readonly #leftOut = new Map<string, number>();
  readonly #shards: number[];
  #commit: Commit;
  #readers: SegmentReader[] = [];
  #revision: number;
  #done = 0;
  #total = 0;
  #savedAt = performance.now();

  constructor(request: FieldsRequest, stage: VectorStage) {
    const { directory, mapping } = request;
    this.#request = request;
    this.#stage = stage;
    this.#commit = readCommit(directory)!;
    const own = mapping.fields.map(({ plan }) => plan);
    this.#plans = asCommitted(own, this.#commit);
    const layout = layoutOf(mapping);
    checkBuild(this.#commit, this.#plans, layout);
    this.#verification = new Verification(directory);
    this.#skipped = new SkippedRows(this.#commit);
    this.#revision = this.#commit.next_revision;
    this.#shards = Array.from({ length: layout.shards }, () => 0);
  }

  async run(): Promise<void> {
    this.#sweep();
    await this.#upgrade();
    const lacking = this.#lacking();
    this.#total = lacking.reduce((sum, { reader }) => sum + reader.liveDocs, 0);
    const scans = lacking.length === 0 ? new Map<number, FileScan>() : await this.#scans();
    for (const group of groupsOf(lacking)) {
      await this.#fill(group, scans);
      if (performance.now() - this.#savedAt >= (this.#request.saveMs ?? SAVE_MS)) this.#save();
    }
    refuseAborted(this.#request.signal);
    this.#report('committing');
    this.#finish();
  }

  result(): RebuildResult {
    const docs = this.#commit.segments.reduce((sum, one) => sum + one.docs - one.deletedDocs, 0);
    return {
      commit: this.#commit,
      docs,
      bytes: commitBytes(this.#commit),
      droppedDuplicates: this.#commit.dropped_duplicates ?? 0,
      leftOut: this.#leftOut,
      vectors: this.#stage.counts,
      skipped: this.#skipped,
    };
  }

  close(): void {
    for (const reader of this.#readers) reader.release();
    this.#readers = [];
  }

  /** Rewrites segments of format 1: their row hashes cannot be added to. */
  async #upgrade(): Promise<void> {
    const { directory, signal } = this.#request;
    for (const entry of this.#commit.segments.filter(isFormatOne)) {
      const reader = SegmentReader.open(directory, entry, this.#verification);
      try {
        const steps = upgradingSegment(reader, entry, directory);
        const report = () => this.#report('upgrading');
        this.#replace(await takeSteps(steps, { ...(signal && { signal }), report }));
      } finally {
        reader.release();
      }
    }
  }

  #lacking(): readonly LackingSegment[] {
    const { directory, mapping } = this.#request;
    const columns = mapping.columns.map(({ id }) => id);
    this.#readers = this.#commit.segments.map((entry) =>
      SegmentReader.open(directory, entry, this.#verification),
    );
    return this.#readers.flatMap((reader) => {
      const missing = missingParts(reader, this.#plans, columns);
      return missing.plans.length > 0 || missing.uncovered ? [{ reader, missing }] : [];
    });
  }

  async #scans(): Promise<ReadonlyMap<number, FileScan>> {
    const { table, signal } = this.#request;
    const set = await fromSource(() => table.files(this.#snapshotId), signal);
    const files = createFileTable(this.#commit.files);
    return new Map(
      set.files.flatMap((scan) => {
        const number = files.known(scan.data.path);
        return number === null ? [] : [[number, scan] as const];
      }),
    );
  }

  get #snapshotId(): bigint {
    return BigInt(this.#commit.checkpoint?.snapshot_id ?? 0);
  }

  async #fill(
    group: readonly LackingSegment[],
    scans: ReadonlyMap<number, FileScan>,
  ): Promise<void> {
    const { table, mapping, directory, signal } = this.#request;
    const entries = await fillSegments(
      {
        ...{ table, mapping, directory, signal, scans, snapshotId: this.#snapshotId },
        ...{ plans: this.#plans, stage: this.#stage, leftOut: this.#leftOut },
        skipped: this.#skipped,
        revision: () => this.#revision++,
        filled: (docs, shard) => {
          this.#done += docs;
          this.#shards[shard] += docs;
        },
        report: (phase) => this.#report(phase),
      },
      group,
    );
    for (const entry of entries) this.#replace(entry);
  }

  #replace(entry: SegmentEntry): void {
    const segments = this.#commit.segments.map((own) => (own.id === entry.id ? entry : own));
    this.#commit = { ...this.#commit, segments };
  }

  /** Keeps the segments that are complete. */
  #save(): void {
    this.#write({ ...this.#commit.checkpoint!, partial: true });
    this.#savedAt = performance.now();
  }

  #finish(): void {
    const { partial: _, ...checkpoint } = this.#commit.checkpoint!;
    this.#write(checkpoint);
    this.#sweep();
  }

  /** Removes files that the commit does not name: what was replaced, or what a crash left. */
  #sweep(): void {
    const { directory } = this.#request;
    const named = filesOf(this.#commit);
    for (const name of directory.list()) if (!named.has(name)) directory.remove(name);
  }

  #write(checkpoint: NonNullable<Commit['checkpoint']>): void {
    const { skipped: _, ...commit } = this.#commit;
    const skipped = this.#skipped.committed();
    this.#commit = writeCommit(this.#request.directory, {
      ...commit,
      number: commit.number + 1,
      next_revision: this.#revision,
      committed_at: Date.now(),
      checkpoint,
      files: this.#skipped.in(commit.files),
      ...(skipped === null ? {} : { skipped }),
    });
  }

  #report(phase: Progress['phase']): void {
    const { progress, generation } = this.#request;
    const { counts } = this.#stage;
    const snapshot = this.#commit.checkpoint?.snapshot_id;
    const several = this.#shards.length > 1;
    const shards = this.#shards.map((docs_done, shard) => {
      const docs_total = Math.max(docs_done, Math.round(this.#total / this.#shards.length));
      return { shard, docs_done, docs_total, generation };
    });
    progress?.({
      ...{ phase, docs_done: this.#done, docs_total: this.#total },
      ...(snapshot == null ? {} : { snapshot }),
      ...(several ? { shards } : {}),
      ...(counts.embeddings === undefined ? {} : { embeddings: counts.embeddings }),
    });
  }
}

/** Segments that are read together, in their order. */
function groupsOf(lacking: readonly LackingSegment[]): readonly (readonly LackingSegment[])[] {
  const groups: LackingSegment[][] = [];
  let docs = GROUP_DOCS;
  for (const segment of lacking) {
    if (docs + segment.reader.docs > GROUP_DOCS) {
      groups.push([]);
      docs = 0;
    }
    groups.at(-1)!.push(segment);
    docs += segment.reader.docs;
  }
  return groups;
}
