import { IntSink } from '../base/arrays/growing.ts';
import { hashBytes } from '../base/bytes/hash-bytes.ts';
import { partOf, type Steps } from '../base/steps.ts';
import { type HashSet, runOf } from '../schema/hash-set.ts';
import { type BucketSpread, shardTable } from '../schema/sharding/bucket-map.ts';
import { type ShardTable, shardOfKey } from '../schema/sharding/key-buckets.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { type Duplicate, findingDuplicates } from './duplicates.ts';
import { PendingSegment } from './pending-segment.ts';

/** Keys in a row: key i = bytes[offsets[i] .. offsets[i + 1]), encoded as schema/keys/key.ts says. */
export interface KeyBatch {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

/** Rows of one data file that have appeared: keys, row hashes and positions run in parallel. */
export interface SettledRows {
  readonly keys: KeyBatch;
  readonly hashes: BigUint64Array;
  /**
   * The row hashes over other columns, or null where one of them was not read. Absent: `hashes` are
   * compared with all documents.
   */
  readonly hashesOf?: (set: HashSet) => BigUint64Array | null;
  readonly file: number;
  readonly positions: Int32Array;
  /** Where given, `settle` writes the row hash of each document that it finds into it. */
  readonly former?: BigUint64Array;
}

/** What `settle` says of a row. */
export const VERDICT = Object.freeze({ added: 0, same: 1, changed: 2 });

/** The segments of a writer between two commits: what is asked of all of them together. */
export class SegmentSet {
  #all!: readonly PendingSegment[];
  /** The segments of each shard; one of several shards is in each of them. */
  #shards!: readonly (readonly PendingSegment[])[];
  readonly #count: number;
  readonly #table: ShardTable;

  /** Segments of an index whose keys are spread so. */
  constructor(segments: readonly SegmentReader[], spread: BucketSpread) {
    this.#count = spread.shards ?? 1;
    this.#table = shardTable(spread);
    this.#hold(segments.map((reader) => this.pending(reader)));
  }

  /** The segments, in the order of the commit. */
  get all(): readonly PendingSegment[] {
    return this.#all;
  }

  /** The shard of each bucket. */
  get table(): ShardTable {
    return this.#table;
  }

  /** A segment that may come to these. */
  pending(reader: SegmentReader): PendingSegment {
    return new PendingSegment(reader, this.#table);
  }

  get liveDocs(): number {
    return this.#all.reduce((sum, { liveDocs }) => sum + liveDocs, 0);
  }

  push(...segments: readonly PendingSegment[]): void {
    this.#hold([...this.#all, ...segments]);
  }

  /** As `IndexWriter.settle`. */
  settle(rows: SettledRows): Uint8Array {
    const { keys, file, positions, former } = rows;
    const comparable = new ComparableHashes(rows);
    const verdicts = new Uint8Array(positions.length).fill(VERDICT.added);
    for (let i = 0; i < positions.length; i++) {
      const [from, to] = [keys.offsets[i], keys.offsets[i + 1]];
      const keyHash = hashBytes(keys.bytes, from, to);
      const shard = shardOfKey(keys.bytes, this.#table, from, to);
      for (const segment of this.#shards[shard]) {
        const doc = segment.keys.findHashed(keyHash, keys.bytes, from, to);
        if (doc < 0 || !segment.isMarked(doc)) continue;
        segment.unmark(doc);
        const hash = segment.reader.rowHashes[doc];
        if (former !== undefined) former[i] = hash;
        const same = hash === comparable.with(segment, doc)?.[i];
        if (same) segment.move(doc, file, positions[i]);
        else segment.delete(doc);
        verdicts[i] = same ? VERDICT.same : VERDICT.changed;
        break;
      }
    }
    return verdicts;
  }

  /** Deletes the documents that are still marked; returns how many there were. */
  deleteMarked(): number {
    return this.#all.reduce((sum, segment) => sum + segment.deleteMarked(), 0);
  }

  /** Positions of live documents' rows in data files, ascending; files without any are left out. */
  positionsIn(files: Iterable<number>): ReadonlyMap<number, Int32Array> {
    const places = new Map([...files].map((file) => [file, null]));
    const found = new Map<number, IntSink>();
    let last = -1;
    let sink = new IntSink();
    for (const segment of this.#all) {
      segment.eachLocationIn(places, (file, position) => {
        if (file !== last) sink = sinkOf(found, file);
        last = file;
        sink.push(position);
      });
    }
    return new Map([...found].map(([file, positions]) => [file, positions.view().slice().sort()]));
  }

  /** Keys with several live documents; no two segments of `settled` share one. */
  *duplicates(limit: number, settled: ReadonlySet<string>): Steps<readonly Duplicate[]> {
    const found: Duplicate[] = [];
    for (const [shard, segments] of this.#shards.entries()) {
      const finding = findingDuplicates(segments, limit - found.length, ({ reader }) =>
        settled.has(reader.id),
      );
      found.push(...(yield* partOf(finding, shard / this.#count, (shard + 1) / this.#count)));
    }
    return found;
  }

  /** Lets go of segments without a living document. */
  dropDead(): void {
    for (const { liveDocs, reader } of this.#all) if (liveDocs === 0) reader.release();
    this.#hold(this.#all.filter(({ liveDocs }) => liveDocs > 0));
  }

  /**
   * Puts `merged` where the first of `sources` stands and lets go of them; false, and nothing is
   * done, where none of them is here any more.
   */
  replace(
    sources: readonly PendingSegment[],
    merged: PendingSegment | readonly PendingSegment[],
  ): boolean {
    const gone = new Set(sources);
    const at = this.#all.findIndex((segment) => gone.has(segment));
    if (at < 0) return false;
    const left = this.#all.flatMap((segment, place) => {
      if (place === at) return merged;
      return gone.has(segment) ? [] : [segment];
    });
    this.#hold(left);
    for (const { reader } of gone) reader.release();
    return true;
  }

  /** Gives the files of all segments back. */
  release(): void {
    for (const { reader } of this.#all) reader.release();
    this.#hold([]);
  }

  #hold(segments: readonly PendingSegment[]): void {
    this.#all = segments;
    const shards = Array.from({ length: this.#count }, () => [] as PendingSegment[]);
    for (const segment of segments) {
      for (const shard of segment.parts.keys()) shards[shard].push(segment);
    }
    this.#shards = shards;
  }
}

/** The hashes of rows over the columns that the hash of a document covers. */
class ComparableHashes {
  readonly #rows: SettledRows;
  readonly #known = new Map<PendingSegment, (BigUint64Array | null)[]>();

  constructor(rows: SettledRows) {
    this.#rows = rows;
  }

  /** Null: such hashes cannot be made of these rows. */
  with(segment: PendingSegment, doc: number): BigUint64Array | null {
    const { hashes, hashesOf } = this.#rows;
    const { hashed } = segment.reader.entry;
    if (hashesOf === undefined || hashed === undefined) return hashes;
    let known = this.#known.get(segment);
    if (known === undefined) this.#known.set(segment, (known = hashed.map(hashesOf)));
    return known[runOf(hashed, doc)];
  }
}

function sinkOf(sinks: Map<number, IntSink>, file: number): IntSink {
  const known = sinks.get(file);
  if (known !== undefined) return known;
  const sink = new IntSink(16);
  sinks.set(file, sink);
  return sink;
}
