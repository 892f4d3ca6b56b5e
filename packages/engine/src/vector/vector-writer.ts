import { IntSink } from '../base/arrays/growing.ts';
import { CodeKernels, codeKernels } from '../base/code-kernels.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { VectorPlan } from '../schema/field-plan.ts';
import { packSections } from '../storage/sections.ts';
import { headDims, type Lengths, lengthsFrom, lengthsOf, STORED_SIMILARITIES } from './format.ts';
import { Planes } from './planes.ts';
import type { VectorReader } from './vector-reader.ts';

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

type VectorBlock = FieldBlock & { readonly kind: 'vector' };

/** What a writer has to know of a field's plan. */
export type VectorLayout = Pick<VectorPlan, 'dims' | 'similarity' | 'index'>;

/** Runs of at least so many vectors are taken over from a merged file where they lie. */
const LONG_RUN = 256;

/**
 * Collects the vectors of one field for a segment, as bytes of the file (format.ts). What `merge`
 * was given must stay open until what `finish` returns is written.
 */
export class VectorWriter {
  readonly layout: VectorLayout;
  readonly #docOf = new IntSink();
  readonly #scales = new FloatSink(Float32Array);
  readonly #norms = new FloatSink(Float64Array);
  readonly #rests = new FloatSink(Float32Array);
  readonly #tails = new FloatSink(Float32Array);
  readonly #planes: Planes;
  #docs = 0;

  constructor(layout: VectorLayout) {
    this.layout = layout;
    this.#planes = new Planes(layout.dims);
  }

  get docs(): number {
    return this.#docs;
  }

  /** Vectors so far. */
  get count(): number {
    return this.#docOf.length;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#planes.bytes + 32 * this.#docOf.length;
  }

  /**
   * Adds `docs` documents; null: none of them has a vector. A vector of scale 0 is no vector.
   * Throws TypeError for a block of something else.
   */
  add(docs: number, block: FieldBlock | null): void {
    if (block !== null) this.#addBlock(docs, block);
    this.#docs += docs;
  }

  #addBlock(docs: number, block: FieldBlock): void {
    const { dims } = this.layout;
    if (block.kind !== 'vector' || block.dims !== dims) {
      throw new TypeError(`a field of vectors takes vectors of ${dims} dimensions`);
    }
    const most = CodeKernels.portion(dims, headDims(dims));
    const slots = this.#slotsOf(docs, block);
    for (let from = 0; from < slots.length; ) {
      const first = slots[from];
      let to = from + 1;
      while (to - from < most && to < slots.length && slots[to] === first + to - from) to++;
      if (most > 0) {
        const places = [first * dims, to - from, dims, headDims(dims)] as const;
        const split = codeKernels().split(block.codes, ...places);
        this.#planes.addRows(split, to - from);
        const { sums } = split;
        for (let i = 0; i < 3 * (to - from); i += 3) {
          this.#pushLengths(lengthsFrom(sums[i], sums[i + 1], sums[i + 2]));
        }
      } else {
        this.#planes.add(block.codes, first * dims);
        this.#pushLengths(lengthsOf(block.codes, first * dims, dims));
      }
      for (; from < to; from++) this.#scales.push(block.scales[slots[from]]);
    }
  }

  /** Places of the vectors of documents in a block; notes the documents. */
  #slotsOf(docs: number, block: VectorBlock): Int32Array {
    const slots = new IntSink();
    for (let doc = 0; doc < docs; doc++) {
      const at = block.starts[doc];
      if (block.starts[doc + 1] - at > 1) throw new TypeError('a document has one vector at most');
      if (block.starts[doc + 1] === at || block.scales[at] === 0) continue;
      this.#docOf.push(this.#docs + doc);
      slots.push(at);
    }
    return slots.view();
  }

  #pushLengths({ norm, rest, tail }: Lengths): void {
    this.#norms.push(norm);
    this.#rests.push(rest);
    this.#tails.push(tail);
  }

  /**
   * Adds the documents of another segment that the map keeps (-1: dropped), in order. Returns where
   * its slots are now, -1 for those that were dropped.
   */
  merge(reader: VectorReader | null, docMap: Int32Array): Int32Array {
    const { dims } = this.layout;
    if (reader !== null && reader.dims !== dims) {
      throw new TypeError(`vectors of ${reader.dims} dimensions, expected ${dims}`);
    }
    const taken = new IntSink();
    const slots = new Int32Array(reader?.count ?? 0).fill(-1);
    for (let doc = 0; doc < docMap.length; doc++) {
      if (docMap[doc] < 0) continue;
      const slot = reader === null ? -1 : reader.slotOf(doc);
      if (slot >= 0) {
        slots[slot] = this.#docOf.length;
        this.#docOf.push(this.#docs);
        taken.push(slot);
      }
      this.#docs++;
    }
    if (reader !== null) this.#takeSlots(reader, taken.view());
    return slots;
  }

  /** Takes vectors of a reader over, slots rising. */
  #takeSlots(reader: VectorReader, slots: Int32Array): void {
    for (const slot of slots) {
      this.#scales.push(reader.scales[slot]);
      this.#norms.push(reader.norms[slot]);
      this.#rests.push(reader.rests[slot]);
      this.#tails.push(reader.tails.length === 0 ? 0 : reader.tails[slot]);
    }
    for (let from = 0; from < slots.length; ) {
      let to = from + 1;
      while (to < slots.length && slots[to] === slots[to - 1] + 1) to++;
      if (to - from < LONG_RUN) {
        while (to < slots.length && to - from < LONG_RUN) to++;
        for (let i = from; i < to; i++) this.#planes.copy(reader, slots[i]);
      } else {
        this.#planes.takeOver(reader, slots[from], slots[from] + to - from);
      }
      from = to;
    }
  }

  /** The payload's parts. */
  finish(): Uint8Array[] {
    const docOf = this.#docOf.view();
    const all = docOf.length === this.#docs;
    const planes = this.#planes.parts();
    const split = headDims(this.layout.dims) < this.layout.dims;
    const head = new DataView(new ArrayBuffer(16));
    head.setInt32(0, this.#docs, true);
    head.setInt32(4, docOf.length, true);
    head.setInt32(8, this.layout.dims, true);
    head.setUint8(12, STORED_SIMILARITIES.indexOf(this.layout.similarity));
    const { present, ranks } = presence(all ? docOf.subarray(0, 0) : docOf, all ? 0 : this.#docs);
    return packSections([
      head,
      present,
      ranks,
      all ? new Int32Array(0) : docOf,
      this.#scales.view(),
      this.#norms.view(),
      this.#rests.view(),
      split ? this.#tails.view() : new Float32Array(0),
      planes.map(({ head }) => head),
      planes.map(({ tail }) => tail),
      planes.map(({ low }) => low),
    ]);
  }
}

function presence(docOf: Int32Array, docs: number): { present: Int32Array; ranks: Int32Array } {
  const present = new Int32Array(wordsOf(docs));
  const ranks = new Int32Array(present.length >> 3);
  for (const doc of docOf) {
    present[doc >> 5] |= 1 << (doc & 31);
    if ((doc >> 8) + 1 < ranks.length) ranks[(doc >> 8) + 1]++;
  }
  for (let range = 1; range < ranks.length; range++) ranks[range] += ranks[range - 1];
  return { present, ranks };
}
