import { partOf, type Steps } from '../base/steps.ts';
import type { RowHashes } from '../documents/row-hash.ts';
import { PendingSegment } from '../index/pending-segment.ts';
import { selectField } from '../index/split-block.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { ShardTable } from '../schema/sharding/key-buckets.ts';
import { AddedField, addHashes, setHashes } from '../segment/alter.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Directory } from '../storage/directory.ts';
import { joinValues, spreadValues } from './arrange-values.ts';
import { coveredRuns, type MissingParts } from './missing-parts.ts';

/** Values of documents of a segment. */
interface Piece {
  readonly docs: Int32Array;
  /** By number of the missing field. */
  readonly blocks: readonly (FieldBlock | null)[];
}

/** Rows that become values of a segment's documents. */
export interface FillRows {
  readonly docs: Int32Array;
  /** Numbers of the rows in the batch, by document. */
  readonly rows: Int32Array;
  /** Rows of the batch. */
  readonly count: number;
  readonly fields: ReadonlyMap<string, FieldBlock>;
  readonly hashes: RowHashes;
}

/** A segment that gets what it lacks, row by row. */
export class SegmentFill {
  readonly reader: SegmentReader;
  readonly #missing: MissingParts;
  readonly #table: ShardTable;
  readonly #ordered: boolean;
  readonly #fields: readonly AddedField[];
  readonly #hashes: BigUint64Array | null;
  /** Set by the first delete. */
  #pending: PendingSegment | null = null;
  /** Of a segment whose documents are not in the order of the rows: all values. */
  readonly #pieces: Piece[] = [];
  #next = 0;
  #filled = 0;

  /** `table`: the shard of each bucket. */
  constructor(reader: SegmentReader, missing: MissingParts, ordered: boolean, table: ShardTable) {
    this.reader = reader;
    this.#table = table;
    this.#missing = missing;
    this.#ordered = ordered;
    this.#fields = missing.plans.map((plan) => new AddedField(plan));
    this.#hashes = missing.uncovered ? new BigUint64Array(reader.docs) : null;
  }

  /** Documents that have got their values or were deleted. */
  get filled(): number {
    return this.#filled;
  }

  /** Takes the values of rows; of an ordered segment, in the order of the documents. */
  put({ docs, rows, count, fields, hashes }: FillRows): void {
    this.#filled += docs.length;
    if (this.#hashes !== null) this.#addHashes(this.#hashes, docs, rows, hashes);
    const blocks = this.#fields.map(({ plan }) => {
      const block = fields.get(plan.name);
      if (block === undefined) return null;
      return rows.length === count ? block : selectField(block, rows);
    });
    if (this.#ordered) this.#write({ docs, blocks });
    else this.#pieces.push({ docs, blocks });
  }

  /** A row cannot be indexed under the new definition: its document goes. */
  delete(doc: number): void {
    this.#pending ??= new PendingSegment(this.reader, this.#table);
    if (this.#pending.delete(doc)) this.#filled++;
  }

  /**
   * Writes the components. `revision` gives numbers of files that are replaced. Throws on the first
   * write error.
   */
  *finishing(directory: Directory, revision: () => number): Steps<SegmentEntry> {
    if (this.#pieces.length > 0) this.#write(this.#arranged());
    this.#pending?.seal(directory, revision());
    let { entry } = this.#pending ?? this.reader;
    for (const [i, field] of this.#fields.entries()) {
      const parts = this.#fields.length;
      entry = yield* partOf(field.finishing(entry, directory), i / parts, (i + 1) / parts);
    }
    if (this.#hashes === null) return entry;
    const sums = addHashes(this.reader.rowHashes, this.#hashes);
    return setHashes(entry, sums, coveredRuns(this.reader, this.#missing), directory, revision());
  }

  #write({ docs, blocks }: Piece): void {
    if (docs.length === 0) return;
    const count = docs[docs.length - 1] + 1 - this.#next;
    this.#fields.forEach((field, i) => {
      const block = blocks[i];
      const dense = count === docs.length || block === null;
      field.add(count, dense ? block : spreadValues(block, docs, this.#next, count));
    });
    this.#next += count;
  }

  /** All pieces as one, in the order of the documents. */
  #arranged(): Piece {
    const length = this.#pieces.reduce((sum, { docs }) => sum + docs.length, 0);
    const docs = new Int32Array(length);
    let at = 0;
    for (const piece of this.#pieces) {
      docs.set(piece.docs, at);
      at += piece.docs.length;
    }
    const order = docs.map((_, i) => i).sort((a, b) => docs[a] - docs[b]);
    const blocks = this.#fields.map((_, i) => {
      const own = this.#pieces.flatMap(({ blocks: all }) => all[i] ?? []);
      return own.length === 0 ? null : selectField(joinValues(own), order);
    });
    return { docs: order.map((i) => docs[i]), blocks };
  }

  #addHashes(into: BigUint64Array, docs: Int32Array, rows: Int32Array, hashes: RowHashes): void {
    const { runs } = this.#missing;
    const own = runs.map(({ columns }) => (columns.length === 0 ? null : hashes.of({ columns })));
    let run = 0;
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i];
      while (doc >= runs[run].end) run++;
      while (run > 0 && doc < runs[run - 1].end) run--;
      into[doc] = own[run]?.[rows[i]] ?? 0n;
    }
  }
}
