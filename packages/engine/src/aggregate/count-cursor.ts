/** Values of one owner in one segment that some document has, in the order of their keys. */
import type { SortedCursor } from '../base/merge-sorted.ts';
import type { OrdinalColumn } from '../columnar/ordinal-column.ts';
import type { BucketKey } from './bucket-key.ts';
import type { CodeCounts } from './code-counter.ts';
import type { FieldValues } from './coder.ts';

/** Steps through the counts of a segment that are not 0. */
export interface CountCursor extends SortedCursor<CountCursor> {
  /**
   * Number of the segment's counts; -1: documents without a value, under the key given for them.
   */
  readonly part: number;
  readonly code: number | bigint;
  readonly count: number;
  key(): BucketKey;
}

/** A cursor over the counts of part number `part`. */
export function countCursor(values: FieldValues, counts: CodeCounts, part: number): CountCursor {
  if (values.ordinals !== null) return new BytesCursor(values.ordinals, counts, part);
  return new NumbersCursor(values, counts, part);
}

/** A cursor over one key: that of `count` documents without a value. */
export function missingCursor(key: BucketKey, count: number): CountCursor {
  return typeof key === 'bigint' ? new OneNumber(key, count) : new OneString(key, count);
}

/** The index of the next count above 0, from `at` on; the length if there is none. */
function nextCounted(counts: Int32Array, at: number): number {
  let next = at;
  while (next < counts.length && counts[next] === 0) next++;
  return next;
}

class BytesCursor implements CountCursor {
  readonly part: number;
  readonly column: OrdinalColumn;
  readonly #counts: CodeCounts;
  #at = -1;
  code = -1;

  constructor(column: OrdinalColumn, counts: CodeCounts, part: number) {
    this.column = column;
    this.#counts = counts;
    this.part = part;
  }

  get count(): number {
    return this.#counts.counts[this.#at];
  }

  next(): boolean {
    const { counts, codes } = this.#counts;
    this.#at = nextCounted(counts, this.#at + 1);
    if (this.#at === counts.length) return false;
    this.code = codes === null ? this.#at : (codes as Uint32Array)[this.#at];
    return true;
  }

  compare(other: CountCursor): number {
    if (other instanceof BytesCursor) {
      return this.column.compareOrds(this.code, other.column, other.code);
    }
    return this.column.compareString(this.code, (other as OneString).bytes);
  }

  key(): BucketKey {
    return Buffer.from(this.column.bytesOf(this.code)).toString('latin1');
  }
}

class OneString implements CountCursor {
  readonly part = -1;
  readonly code = -1;
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly #key: string;
  #left = 1;

  constructor(key: string, count: number) {
    this.#key = key;
    this.count = count;
    this.bytes = Buffer.from(key, 'latin1');
  }

  next(): boolean {
    return this.#left-- > 0;
  }

  compare(other: CountCursor): number {
    return other instanceof BytesCursor ? -other.compare(this) : 0;
  }

  key(): BucketKey {
    return this.#key;
  }
}

class NumbersCursor implements CountCursor {
  readonly part: number;
  readonly #values: FieldValues;
  readonly #counts: CodeCounts;
  #at = -1;
  code: number | bigint = -1;
  value = 0n;

  constructor(values: FieldValues, counts: CodeCounts, part: number) {
    this.#values = values;
    this.#counts = counts;
    this.part = part;
  }

  get count(): number {
    return this.#counts.counts[this.#at];
  }

  next(): boolean {
    const { counts, codes } = this.#counts;
    this.#at = nextCounted(counts, this.#at + 1);
    if (this.#at === counts.length) return false;
    this.code = codes === null ? this.#at : codes[this.#at];
    this.value = this.#values.key(this.code) as bigint;
    return true;
  }

  compare(other: CountCursor): number {
    return compareValues(this.value, (other as NumbersCursor).value);
  }

  key(): BucketKey {
    return this.value;
  }
}

class OneNumber implements CountCursor {
  readonly part = -1;
  readonly code = -1;
  readonly count: number;
  readonly value: bigint;
  #left = 1;

  constructor(value: bigint, count: number) {
    this.value = value;
    this.count = count;
  }

  next(): boolean {
    return this.#left-- > 0;
  }

  compare(other: CountCursor): number {
    return compareValues(this.value, (other as NumbersCursor).value);
  }

  key(): BucketKey {
    return this.value;
  }
}

const compareValues = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
