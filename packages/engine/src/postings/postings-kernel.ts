import type { BitOutput } from './bit-output.ts';
import {
  BEST,
  BEST_DOCS_BYTES,
  DENSE,
  LIST,
  LIST_BLOCK,
  RANGE,
  RECORD,
  RECORD_WORDS,
  TENTH,
} from './format.ts';
import type { ImpactCodes } from './impact-codes.ts';
import { POSTINGS_CODE } from './kernel-code.ts';
import { POSTINGS_MEMORY } from './kernel-layout.ts';

const { DATA, PAYLOAD, NORMS, WIDTHS, LONG_DOCS } = POSTINGS_MEMORY;
const PAGE = 65_536;
/** Kernels write past the end of a term. */
const SLACK = 256;
/** Fewer documents are not worth a memory of their own. */
const LEAST_DOCS = 4096;
/** Shorter runs are copied by a loop. */
const SHORT_COPY = 64;
/** Bytes of a posting of a short or list term at most, without positions; of a position. */
const POSTING_BYTES = 12;
const POSITION_BYTES = 3;

/** See packages/engine/kernels/postings. */
type Numbers = readonly number[];
type GroupKernel = (pairs: number, n: number, ...into: Numbers) => number;
type ShortKernel = (df: number, ...rest: Numbers) => number;
interface Kernels {
  readonly group: GroupKernel;
  readonly short: ShortKernel;
  readonly list: ShortKernel;
  readonly dense: ShortKernel;
  readonly bestDocs: ShortKernel;
  readonly sort: (cells: number, ...rest: Numbers) => void;
  readonly shorts: ShortKernel;
  readonly join: ShortKernel;
}

/** Postings as another segment has them: docs[from .. to), frequencies likewise, `total` of them. */
export interface StoredRun {
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** Where the bucket at hand lies: its pairs, where those of each term end, sizes of its terms. */
interface LoadedBucket {
  readonly terms: number;
  readonly pairs: number;
  readonly firsts: number;
  readonly sizes: number;
  readonly end: number;
}
const NO_BUCKET: LoadedBucket = { terms: 0, pairs: 0, firsts: 0, sizes: 0, end: 0 };

/** What the kernel reads of the documents of a segment. */
export interface EncodedDocuments {
  readonly docs: number;
  /** Codes of lengths and of widths of positions, by document. */
  readonly codes: Uint8Array;
  readonly widthCodes: Uint8Array;
  /** By code. */
  readonly norms: Float64Array;
  readonly widths: Uint8Array;
  /** Documents whose norm is not that of their code, ascending, and their norms. */
  readonly longDoc: Int32Array;
  readonly longNorms: Float64Array;
  /** Whether big terms end with their best documents. */
  readonly bestDocs: boolean;
}

let compiled: WebAssembly.Module | undefined;

/**
 * Encodes the postings of terms of a text field in WebAssembly, with the bytes of `encodeShort` and
 * `encodeBig`. The postings of the term at hand lie in its memory.
 */
export class PostingsKernel {
  readonly #memory: WebAssembly.Memory;
  readonly #kernels: Kernels;
  readonly #ranges: number;
  readonly #bestDocs: boolean;
  readonly #codes = DATA;
  readonly #widthCodes: number;
  /** Where the postings begin, and how many postings and positions have room. */
  readonly #docsAt: number;
  #postings = 1 << 12;
  #positions = 1 << 14;
  #bucket = NO_BUCKET;
  #u8 = new Uint8Array();
  #i32 = new Int32Array();
  /** Documents and frequencies of the postings, and all their positions in their order: views. */
  docs = new Int32Array();
  frequencies = new Int32Array();
  positions = new Int32Array();

  private constructor(documents: EncodedDocuments) {
    const { docs, codes, widthCodes, longDoc } = documents;
    this.#ranges = Math.ceil(docs / RANGE);
    this.#bestDocs = documents.bestDocs;
    this.#widthCodes = widthCodes === codes ? this.#codes : this.#codes + docs;
    const longDocs = (this.#widthCodes + docs + 7) & ~7;
    const longNorms = (longDocs + 4 * longDoc.length + 7) & ~7;
    this.#docsAt = longNorms + 8 * longDoc.length;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(this.#docsAt / PAGE) + 1 });
    compiled ??= new WebAssembly.Module(Buffer.from(POSTINGS_CODE, 'base64'));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#kernels = exports as unknown as Kernels;
    this.#grow(0);
    this.#u8.set(codes, this.#codes);
    if (widthCodes !== codes) this.#u8.set(widthCodes, this.#widthCodes);
    this.#u8.set(documents.widths, WIDTHS);
    const { buffer } = this.#memory;
    new Float64Array(buffer, NORMS, 256).set(documents.norms);
    new Int32Array(buffer, longDocs, longDoc.length).set(longDoc);
    new Float64Array(buffer, longNorms, longDoc.length).set(documents.longNorms);
    this.#i32.set([longDocs, longNorms, longDoc.length], LONG_DOCS >> 2);
  }

  /** Null if the segment is small. */
  static over(documents: EncodedDocuments): PostingsKernel | null {
    return documents.docs < LEAST_DOCS ? null : new PostingsKernel(documents);
  }

  get #frequenciesAt(): number {
    return this.#docsAt + 4 * this.#postings;
  }

  get #positionsAt(): number {
    return this.#docsAt + 8 * this.#postings;
  }

  /** Where a term is encoded: behind its postings and the bucket. */
  get #out(): number {
    return Math.max(this.#positionsAt + 4 * this.#positions, this.#bucket.end);
  }

  /** Makes room for so many postings and positions; those written so far stay, the bucket goes. */
  reserve(postings: number, positions: number): void {
    if (postings <= this.#postings && positions <= this.#positions) return;
    this.#bucket = NO_BUCKET;
    const before = [this.#frequenciesAt, this.#positionsAt, this.#out] as const;
    this.#postings = roomFor(postings, this.#postings);
    this.#positions = roomFor(positions, this.#positions);
    this.#grow(0);
    this.#u8.copyWithin(this.#positionsAt, before[1], before[2]);
    this.#u8.copyWithin(this.#frequenciesAt, before[0], before[1]);
  }

  /** Makes postings of cells (document, position) number from .. to; returns how many. */
  group(cells: Int32Array, from: number, to: number): number {
    const count = to - from;
    this.reserve(count, count);
    this.#grow(8 * count);
    const out = this.#out;
    const i32 = this.#i32;
    if (count < SHORT_COPY) {
      for (let at = 2 * from, word = out >> 2; at < 2 * to; at++, word++) i32[word] = cells[at];
    } else i32.set(cells.subarray(2 * from, 2 * to), out >> 2);
    const { group } = this.#kernels;
    return group(out, count, this.#docsAt, this.#frequenciesAt, this.#positionsAt);
  }

  /**
   * Takes a bucket of `terms` terms: cells number from .. to, whose second words have `bits` bits
   * of position (write/term-buckets.ts). Another bucket, or `group`, may follow its last term.
   */
  load(cells: Int32Array, from: number, to: number, terms: number, bits: number): void {
    const count = to - from;
    this.#bucket = NO_BUCKET;
    this.reserve(count, count);
    const pairs = this.#out;
    const firsts = pairs + 8 * count;
    const sizes = firsts + 4 * terms;
    this.#bucket = { terms, pairs, firsts, sizes, end: sizes + 8 * terms };
    this.#grow(count * (POSTING_BYTES + POSITION_BYTES) + 8 * terms);
    const out = this.#out;
    this.#i32.set(cells.subarray(2 * from, 2 * to), out >> 2);
    this.#kernels.sort(out, out + 8 * count, bits, terms, firsts, pairs);
  }

  /**
   * Writes the terms of the bucket from number `term` on until one is in 128 documents or more,
   * whose postings are at hand then. Returns documents and bytes of each of them: a view; the
   * last pair is of the term that was not written, or of none.
   */
  shorts(term: number, output: BitOutput): Int32Array {
    const { terms, firsts, sizes } = this.#bucket;
    const out = this.#out;
    const places = [this.#docsAt, this.#frequenciesAt, this.#positionsAt] as const;
    const rest = [...places, this.#widthCodes, sizes, out] as const;
    const next = this.#kernels.shorts(term, terms, this.#endOf(term - 1), firsts, ...rest);
    const view = this.#i32.subarray(sizes >> 2, (sizes >> 2) + 2 * (next - term) + 1);
    let bytes = 0;
    for (let i = 1; i < view.length; i += 2) bytes += view[i];
    this.#append(output, bytes);
    return view;
  }

  /** Occurrences of a term of the bucket. */
  occurrencesOf(term: number): number {
    return (this.#endOf(term) - this.#endOf(term - 1)) >> 3;
  }

  #endOf(term: number): number {
    const { pairs, firsts } = this.#bucket;
    return term < 0 ? pairs : this.#i32[(firsts >> 2) + term];
  }

  /**
   * Appends a run behind `df` postings and `used` positions, for which there is room: `shift` is
   * added to its documents, its positions begin at bytes[at]. Returns the bits that they take.
   */
  join(
    { docs, frequencies, from, to, total }: StoredRun,
    shift: number,
    bytes: Uint8Array,
    at: number,
    df: number,
    used: number,
  ): number {
    const count = to - from;
    const length = total * POSITION_BYTES + 8;
    this.#grow(8 * count + length);
    const olds = this.#out;
    const bits = olds + 8 * count;
    this.#i32.set(docs.subarray(from, to), olds >> 2);
    this.#i32.set(frequencies.subarray(from, to), (olds >> 2) + count);
    this.#u8.set(bytes.subarray(at, at + length), bits);
    const into = [
      this.#docsAt + 4 * df,
      this.#frequenciesAt + 4 * df,
      this.#positionsAt + 4 * used,
    ] as const;
    const rest = [bits, ...into, this.#widthCodes] as const;
    return this.#kernels.join(olds, olds + 4 * count, count, shift, ...rest);
  }

  /** Writes a term of `df` postings and `count` positions in fewer than 128 documents. */
  short(df: number, count: number, output: BitOutput): void {
    this.#grow(df * POSTING_BYTES + count * POSITION_BYTES);
    const out = this.#out;
    const places = [this.#docsAt, this.#frequenciesAt, this.#positionsAt] as const;
    const end = this.#kernels.short(df, ...places, this.#widthCodes, out);
    this.#append(output, end - out);
  }

  /** Writes another term; returns its record, as `encodeBig`, and notes its impacts. */
  big(
    df: number,
    count: number,
    dense: boolean,
    output: BitOutput,
    impacts: ImpactCodes,
  ): Int32Array {
    const blocks = dense ? this.#ranges : Math.ceil(df / LIST_BLOCK);
    const most = df * POSTING_BYTES + count * POSITION_BYTES + blocks * (dense ? 64 : 48);
    const notes = (this.#out + most + BEST_DOCS_BYTES + SLACK + 7) & ~7;
    this.#grow(notes + 8 * blocks - this.#out);
    const end = this.#encode(df, dense, notes);
    const bytes = this.#withBestDocs(df, dense, notes, end) - this.#out;
    output.room(64);
    output.align();
    const record = this.#record(df, dense, bytes, output.length);
    const noted = output.length + this.#i32[POSTINGS_MEMORY.NOTED >> 2];
    const values = new Float64Array(this.#memory.buffer, notes, blocks);
    impacts.noteAll(noted, dense ? 1 : 4, values);
    this.#append(output, bytes);
    return record;
  }

  #encode(df: number, dense: boolean, notes: number): number {
    const out = this.#out;
    const best = new Float64Array(this.#memory.buffer, POSTINGS_MEMORY.BEST, BEST);
    const places = [this.#docsAt, this.#frequenciesAt, this.#positionsAt] as const;
    const rest = [this.#widthCodes, this.#codes, out, notes] as const;
    best.fill(0);
    if (!dense) return this.#kernels.list(df, ...places, ...rest);
    const end = this.#kernels.dense(df, ...places, ...rest, this.#ranges, 0);
    if (end > 0) return end;
    best.fill(0);
    return this.#kernels.dense(df, ...places, ...rest, this.#ranges, 1);
  }

  /** Appends the best documents where they are wanted; returns the term's end. */
  #withBestDocs(df: number, dense: boolean, notes: number, end: number): number {
    if (!this.#bestDocs) return end;
    const rest = [this.#codes, notes, dense ? 1 : 0, (end + 3) & ~3] as const;
    return this.#kernels.bestDocs(df, this.#docsAt, this.#frequenciesAt, ...rest);
  }

  #record(df: number, dense: boolean, bytes: number, start: number): Int32Array {
    const [payload, positions, blocks, wide] = this.#i32.subarray(PAYLOAD >> 2);
    const best = new Float64Array(this.#memory.buffer, POSTINGS_MEMORY.BEST, BEST);
    const record = new Int32Array(RECORD_WORDS);
    record[RECORD.df] = df;
    record[RECORD.start] = start >> 2;
    record[RECORD.kind] = dense ? DENSE : LIST;
    record[RECORD.payload] = start + payload;
    record[RECORD.positions] = dense ? 0 : start + positions;
    record[RECORD.blocks] = blocks;
    record[RECORD.wide] = wide;
    record[RECORD.bytes] = bytes;
    setBest(record, best);
    return record;
  }

  /** Appends the encoded term. */
  #append(output: BitOutput, bytes: number): void {
    output.room(bytes);
    const { u8, length } = output;
    const out = this.#out;
    if (bytes < SHORT_COPY) {
      for (let i = 0; i < bytes; i++) u8[length + i] = this.#u8[out + i];
    } else u8.set(this.#u8.subarray(out, out + bytes), length);
    output.length += bytes;
  }

  /** Makes room for so many bytes at `#out`. */
  #grow(bytes: number): void {
    const missing = this.#out + bytes + SLACK - this.#u8.length;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    else if (bytes > 0) return;
    const { buffer } = this.#memory;
    this.#u8 = new Uint8Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.docs = new Int32Array(buffer, this.#docsAt, this.#postings);
    this.frequencies = new Int32Array(buffer, this.#frequenciesAt, this.#postings);
    this.positions = new Int32Array(buffer, this.#positionsAt, this.#positions);
  }
}

const roomFor = (needed: number, now: number): number =>
  needed <= now ? now : (Math.max(needed, now * 2) + 1) & ~1;

/** Best and tenth best impact, as floats that are surely not below, not above. */
export function setBest(record: Int32Array, best: Float64Array): void {
  const floats = new Float32Array([best[TENTH - 1] * (1 - 1e-6), best[0] * (1 + 1e-6)]);
  record.set(new Int32Array(floats.buffer), RECORD.tenth);
}
