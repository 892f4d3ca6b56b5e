/** Floats that are appended to; the store doubles when it is full. */
export class FloatSink<T extends Float32Array | Float64Array> {
  readonly #make: new (
    length: number,
  ) => T;
  #values: T;
  #length = 0;

  constructor(make: new (length: number) => T) {
    this.#make = make;
    this.#values = new make(256);
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const next = new this.#make(this.#values.length * 2);
      next.set(this.#values);
      this.#values = next;
    }
    this.#values[this.#length++] = value;
  }

  /** The values so far: a view that the next push may leave behind. */
  view(): T {
    return this.#values.subarray(0, this.#length) as T;
  }
}
