import { LakeError, type LakeErrorCode } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';

/** The longs that take one byte, by that byte. */
const SMALL = Array.from({ length: 128 }, (_, byte) => BigInt((byte >>> 1) ^ -(byte & 1)));

/**
 * A reading position in Avro's binary encoding (Avro 1.11 specification, "Binary Encoding"); every
 * fault names the file.
 */
export class AvroCursor {
  readonly buffer: Buffer;
  /** The same bytes as a plain array, whose `slice` copies. */
  private readonly plain: Uint8Array;
  readonly file: string;
  readonly code: LakeErrorCode;
  readonly end: number;
  at: number;
  /** Items of arrays and maps that were read, over all blocks. */
  items = 0;

  constructor(bytes: Uint8Array, file: string, code: LakeErrorCode) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.file = file;
    this.code = code;
    this.end = bytes.byteLength;
    this.at = 0;
  }

  /** Throws this file's error. */
  fail(what: string): never {
    throw new LakeError(this.code, `avro file "${this.file}": ${what}`, { file: this.file });
  }

  get remaining(): number {
    return this.end - this.at;
  }

  private byte(): number {
    if (this.at >= this.end) this.fail('it ends in the middle of a value');
    return this.buffer[this.at++]!;
  }

  /** An int, or a long that must fit in 53 bits: lengths, counts, branch numbers. */
  int(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 128;
    }
    return this.fail('a number is out of range');
  }

  /** A 64-bit integer. */
  long(): bigint {
    const first = this.buffer[this.at];
    if (first !== undefined && first < 0x80) {
      this.at++;
      return SMALL[first]!;
    }
    const start = this.at;
    this.skipLong();
    const length = this.at - start;
    if (length <= 7) {
      this.at = start;
      return BigInt(this.int());
    }
    let value = 0n;
    for (let i = this.at - 1; i >= start; i--) {
      value = (value << 7n) | BigInt(this.buffer[i]! & 0x7f);
    }
    if (value >> 64n !== 0n) this.fail('a long has more than 64 bits');
    return (value >> 1n) ^ -(value & 1n);
  }

  /** Steps over a long. */
  skipLong(): void {
    let length = 1;
    while (this.byte() >= 0x80) {
      if (++length > 10) this.fail('a long has more than ten bytes');
    }
  }

  boolean(): boolean {
    const byte = this.byte();
    if (byte > 1) this.fail(`a boolean has the byte ${byte}`);
    return byte === 1;
  }

  /** Steps over `length` bytes and returns where they begin. */
  take(length: number): number {
    if (length < 0 || length > this.remaining) this.fail('a length points past the end');
    const start = this.at;
    this.at += length;
    return start;
  }

  float(): number {
    return this.buffer.readFloatLE(this.take(4));
  }

  double(): number {
    return this.buffer.readDoubleLE(this.take(8));
  }

  /** A view of `length` bytes, not a copy. */
  raw(length: number): Uint8Array {
    const start = this.take(length);
    return this.buffer.subarray(start, start + length);
  }

  /** Length-prefixed bytes, copied so that they do not hold the whole block. */
  bytes(): Uint8Array {
    const length = this.int();
    const start = this.take(length);
    return this.plain.slice(start, start + length);
  }

  string(): string {
    const length = this.int();
    const start = this.take(length);
    return this.buffer.toString('utf8', start, start + length);
  }

  /** The number of items in the next block of an array or map; 0 ends it. */
  blockCount(): number {
    let count = this.int();
    if (count < 0) {
      count = -count;
      this.int();
    }
    if (count > this.remaining && count > LIMITS.avroEmptyItems) {
      this.fail(`a block claims ${count} items, more than it has bytes`);
    }
    this.items += count;
    return count;
  }
}
