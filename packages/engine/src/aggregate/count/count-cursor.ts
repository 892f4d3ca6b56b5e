/** Values of one owner in one segment that some document has, in the order of their keys. */
import type { SortedCursor } from '../../base/arrays/merge-sorted.ts';
import type { OrdinalColumn } from '../../columnar/ordinal-column.ts';
import type { BucketKey } from '../bucket-key.ts';
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
  return new OneKey(key, count);
}

abstract class CodesCursor implements CountCursor {
  readonly part: number;
  readonly #counts: CodeCounts;
  #at = -1;
  code: number | bigint = -1;

  constructor(counts: CodeCounts, part: number) {
    this.#counts = counts;
    this.part = part;
  }

  get count(): number {
    return this.#counts.counts[this.#at];
  }

  next(): boolean {
    const { counts, codes } = this.#counts;
    this.#at++;
    while (this.#at < counts.length && counts[this.#at] === 0) this.#at++;
    if (this.#at === counts.length) return false;
    this.code = codes === null ? this.#at : codes[this.#at];
    return true;
  }

  abstract compare(other: CountCursor): number;
  abstract key(): BucketKey;
}

class BytesCursor extends CodesCursor {
  readonly column: OrdinalColumn;

  constructor(column: OrdinalColumn, counts: CodeCounts, part: number) {
    super(counts, part);
    this.column = column;
  }

  compare(other: CountCursor): number {
    const code = this.code as number;
    if (other instanceof BytesCursor) {
      return this.column.compareOrds(code, other.column, other.code as number);
    }
    return this.column.compareString(code, (other as OneKey).bytes);
  }

  key(): BucketKey {
    return Buffer.from(this.column.bytesOf(this.code as number)).toString('latin1');
  }
}

class NumbersCursor extends CodesCursor {
  readonly #values: FieldValues;
  value = 0n;

  constructor(values: FieldValues, counts: CodeCounts, part: number) {
    super(counts, part);
    this.#values = values;
  }

  override next(): boolean {
    if (!super.next()) return false;
    this.value = this.#values.key(this.code) as bigint;
    return true;
  }

  compare(other: CountCursor): number {
    return compareValues(this.value, (other as NumbersCursor | OneKey).value as bigint);
  }

  key(): BucketKey {
    return this.value;
  }
}

class OneKey implements CountCursor {
  readonly part = -1;
  readonly code = -1;
  readonly count: number;
  readonly value: BucketKey;
  readonly bytes: Uint8Array;
  #left = 1;

  constructor(value: BucketKey, count: number) {
    this.value = value;
    this.count = count;
    this.bytes = Buffer.from(String(value), 'latin1');
  }

  next(): boolean {
    return this.#left-- > 0;
  }

  compare(other: CountCursor): number {
    return other instanceof OneKey ? 0 : -other.compare(this);
  }

  key(): BucketKey {
    return this.value;
  }
}

const compareValues = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
