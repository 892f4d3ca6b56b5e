/** Below so many bytes a loop is faster than a view and a copy. */
const SHORT = 64;

/** Bytes that are appended to; the store doubles when it is full. */
export class ByteSink {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  /** LEB128 of an unsigned number below 2^32. */
  varint(value: number): void {
    this.#room(5);
    let rest = value >>> 0;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Appends source[from .. to). */
  append(source: Uint8Array, from = 0, to = source.length): void {
    this.#room(to - from);
    if (to - from < SHORT) {
      const shift = this.#length - from;
      for (let i = from; i < to; i++) this.#bytes[i + shift] = source[i];
    } else {
      this.#bytes.set(source.subarray(from, to), this.#length);
    }
    this.#length += to - from;
  }

  /** The store itself, longer than what it holds; the next append may leave it behind. */
  get store(): Uint8Array {
    return this.#bytes;
  }

  /** The bytes so far: a view that the next append may leave behind. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #room(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const next = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    next.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = next;
  }
}

/** Int32 values that are appended to. */
export class IntSink {
  #values: Int32Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#values = new Int32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#room(1);
    this.#values[this.#length++] = value;
  }

  append(values: Int32Array): void {
    this.#room(values.length);
    this.#values.set(values, this.#length);
    this.#length += values.length;
  }

  fill(value: number, count: number): void {
    this.#room(count);
    this.#values.fill(value, this.#length, this.#length + count);
    this.#length += count;
  }

  at(index: number): number {
    return this.#values[index];
  }

  clear(): void {
    this.#length = 0;
  }

  /** The values so far: a view that the next push may leave behind. */
  view(): Int32Array {
    return this.#values.subarray(0, this.#length);
  }

  #room(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#values.length) return;
    const next = new Int32Array(Math.max(needed, this.#values.length * 2));
    next.set(this.#values.subarray(0, this.#length));
    this.#values = next;
  }
}
