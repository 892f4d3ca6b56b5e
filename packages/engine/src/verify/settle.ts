import type { LhsError } from '@lakehouse-search/contract';
import { bytesView } from '../base/bytes/two-lane-hash.ts';
import { sharedKeyFault } from '../documents/shared-key.ts';
import type { DigestBuckets } from '../index/commits/content-digest.ts';
import { coordinatesOf, formatKey } from '../schema/keys/key.ts';
import { hashKey } from '../schema/sharding/key-buckets.ts';
import { createFileTable } from '../sync/batch/file-table.ts';
import type { ComparedSides } from './sides.ts';
import type { UnmatchedRows } from './unmatched-rows.ts';

/** A row, and the document of its key that differs from it. */
export interface StaleRow {
  readonly row: number;
  readonly doc: number;
}

/** The outcome of the unmatched rows. */
export interface Settled {
  /** Rows without a document, by key. */
  readonly missing: readonly number[];
  /** By key. */
  readonly stale: readonly StaleRow[];
  /** Rows that lost to another row of their key (`on_duplicate_key: last`). */
  readonly dropped: number;
}

interface Digests {
  readonly index: DigestBuckets;
  readonly table: DigestBuckets;
}

/** A row that contends for its key: an unmatched one, or one whose document was seen at its row position. */
interface Contender {
  readonly row: number | null;
  readonly doc: number | null;
  /** Number among the snapshot's files. */
  readonly file: number;
  readonly position: number;
}

/**
 * Settles unmatched rows key by key. Rows that share a key are refused, or settled as a build does.
 * The row that wins is compared with the documents of its key, which count as seen then. The
 * digests are corrected: rows that lost leave the table's, documents that were found enter the
 * index's. If `whole` is false, only a sample was read, so documents of other rows are not checked.
 * Throws source_invalid.
 */
export function settleRows(
  sides: ComparedSides,
  unmatched: UnmatchedRows,
  digests: Digests,
  { whole = true }: { readonly whole?: boolean } = {},
): Settled {
  const settling = new Settling(sides, unmatched, digests);
  unmatched.forEachKey((key, rows) => settling.key(key, rows));
  if (whole) for (const key of sides.docs.keysSeenTwice()) settling.key(key, []);
  return settling;
}

class Settling implements Settled {
  readonly missing: number[] = [];
  readonly stale: StaleRow[] = [];
  dropped = 0;
  readonly #sides: ComparedSides;
  readonly #unmatched: UnmatchedRows;
  readonly #digests: Digests;
  /** By number of a data file in the index: its number among the snapshot's files. */
  readonly #setNumbers: readonly number[];
  readonly #hash = new Int32Array(2);

  constructor(sides: ComparedSides, unmatched: UnmatchedRows, digests: Digests) {
    this.#sides = sides;
    this.#unmatched = unmatched;
    this.#digests = digests;
    this.#setNumbers = setNumbers(sides);
  }

  /** Settles one key: the unmatched rows that have it, and all its documents. */
  key(key: Uint8Array, rows: readonly number[]): void {
    const { docs } = this.#sides;
    const own = docs.withKey(key);
    const seen = own.filter((doc) => docs.isSeen(doc));
    const contenders: Contender[] = [
      ...rows.map((row) => ({ row, doc: null, ...this.#unmatched.rowPosition(row) })),
      ...seen.map((doc) => ({ row: null, doc, ...this.#positionOf(doc) })),
    ];
    const last = this.#winner(key, contenders);
    for (const contender of contenders) if (contender !== last) this.#drop(contender);
    if (last.row === null) return;
    const free = own.filter((doc) => !docs.isSeen(doc));
    this.#match(last.row, free);
  }

  #winner(key: Uint8Array, contenders: readonly Contender[]): Contender {
    const { mapping } = this.#sides;
    if (contenders.length > 1 && mapping.definition.onDuplicateKey === 'refuse') {
      throw this.#twice(key, contenders);
    }
    return contenders.reduce((a, b) => (this.#order(a, b) >= 0 ? a : b));
  }

  /** Which row stays: highest data sequence, then path, then position. */
  #order(a: Contender, b: Contender): number {
    const [x, y] = [this.#sides.set.files[a.file].data, this.#sides.set.files[b.file].data];
    if (x.dataSequence !== y.dataSequence) return x.dataSequence > y.dataSequence ? 1 : -1;
    const paths = Buffer.compare(Buffer.from(x.path), Buffer.from(y.path));
    return paths === 0 ? a.position - b.position : paths;
  }

  #drop({ row, doc }: Contender): void {
    this.dropped++;
    const { docs } = this.#sides;
    if (row !== null) this.#digests.table.remove(...this.#unmatched.lanes(row));
    if (doc === null) return;
    docs.unsee(doc);
    const lanes = this.#lanesOf(doc);
    this.#digests.table.remove(...lanes);
    this.#digests.index.remove(...lanes);
  }

  /** The row that stays and the documents of its key that no row was found for. */
  #match(row: number, free: readonly number[]): void {
    const { docs, places } = this.#sides;
    if (free.length === 0) {
      this.missing.push(row);
      return;
    }
    const equal = free.filter((doc) => this.#sameHash(row, doc));
    const exact = equal.find((doc) => this.#samePlace(row, doc));
    const doc = exact ?? equal[0] ?? free[0];
    docs.see(doc);
    this.#digests.index.add(...this.#lanesOf(doc));
    this.#digests.table.remove(...this.#unmatched.lanes(row));
    this.#digests.table.add(...this.#unmatched.lanes(row, docs.hashSet(doc)));
    const sound = places ? exact !== undefined : equal.length > 0;
    if (!sound) this.stale.push({ row, doc });
  }

  #sameHash(row: number, doc: number): boolean {
    const [, , low, high] = this.#unmatched.lanes(row, this.#sides.docs.hashSet(doc));
    const [ownLow, ownHigh] = this.#sides.docs.hash(doc);
    return low === ownLow && high === ownHigh;
  }

  #samePlace(row: number, doc: number): boolean {
    const [a, b] = [this.#unmatched.rowPosition(row), this.#positionOf(doc)];
    return a.file === b.file && a.position === b.position;
  }

  #positionOf(doc: number): { file: number; position: number } {
    const { file, position } = this.#sides.docs.rowPosition(doc);
    return { file: this.#setNumbers[file] ?? -1, position };
  }

  #lanesOf(doc: number): readonly [number, number, number, number] {
    const { docs } = this.#sides;
    const key = docs.key(doc);
    hashKey(bytesView(key), 0, key.length, this.#hash, 0);
    return [this.#hash[0], this.#hash[1], ...docs.hash(doc)];
  }

  #twice(key: Uint8Array, contenders: readonly Contender[]): LhsError {
    const { mapping, set } = this.#sides;
    const shown = formatKey(coordinatesOf(mapping.key, key));
    const [first, second] = contenders
      .map(({ file, position }) => `row ${position} of ${set.files[file].data.path}`)
      .sort();
    return sharedKeyFault(mapping.definition, { key: shown, rows: [first, second] });
  }
}

/** By number of a data file in the index: its number among the snapshot's files. */
export function setNumbers({ files, set }: ComparedSides): readonly number[] {
  const table = createFileTable(files);
  const numbers: number[] = [];
  set.files.forEach(({ data }, i) => {
    const known = table.known(data.path);
    if (known !== null) numbers[known] = i;
  });
  return numbers;
}
