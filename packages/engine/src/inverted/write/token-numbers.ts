import type { Analyzer } from '../../analysis/analyzer.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import { INVERTED_CODE } from './kernel-code.ts';
import { TERM_MEMORY } from './term-layout.ts';
import type { ResizeTerms, TermTable } from './term-table.ts';

const { STATE, IDS, IDS_MOST, TEXT, TEXT_BYTES, TABLE, TOKEN_MOST, SLACK } = TERM_MEMORY;
const PAGE = 65_536;
/** A value with more tokens than this that the kernel refuses is analysed without it from there. */
const REFUSED_MOST = 3;
const NONE = new Uint8Array();

/** See packages/engine/kernels/inverted. */
type LowerKernel = (at: number, end: number) => void;
type NumberKernel = (
  at: number,
  end: number,
  standard: number,
  size: number,
  most: number,
  mask: number,
  pool: number,
  poolEnd: number,
  starts: number,
  slots: number,
) => number;

/** Receives the tokens of a text: numbers of terms, or tokens that are not in the table yet. */
export interface NumberSink {
  /** Tokens at the positions from `position` on: the first `count` numbers. */
  numbers(ids: Int32Array, count: number, position: number): void;
  token(bytes: Uint8Array, from: number, to: number, position: number): void;
}

/** bytes[from .. to) of a text. */
interface Window {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

let compiled: WebAssembly.Module | undefined;

/**
 * The `simple` analyzer, or the standard tokenizer and lower case, with a term table in one
 * WebAssembly kernel. The table's arrays move to the kernel's memory. Numbers and positions are
 * those of the analyzer and the table; tokens that the kernel refuses go to the sink as the
 * analyzer makes them.
 */
export class TokenNumbers {
  readonly #memory = new WebAssembly.Memory({ initial: Math.ceil(TABLE / PAGE) + 1 });
  readonly #lower: LowerKernel;
  readonly #number: NumberKernel;
  readonly #table: TermTable;
  readonly #analyzer: Analyzer;
  readonly #standard: boolean;
  #text = new Uint8Array();
  #ids = new Int32Array();
  #state = new Int32Array();
  #places = { pool: TABLE, starts: 0, slots: 0 };
  /** What the kernel's memory has of the text. */
  #window: Window = { bytes: NONE, from: 0, to: 0 };

  /** An analyzer other than `simple` has `words`, which the numbers know nothing of. */
  constructor(table: TermTable, analyzer: Analyzer) {
    compiled ??= new WebAssembly.Module(Buffer.from(INVERTED_CODE, 'base64'));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#analyzer = analyzer;
    this.#standard = analyzer !== simpleAnalyzer;
    this.#lower = (this.#standard ? exports.lowerWords : exports.lower) as LowerKernel;
    this.#number = exports.number as NumberKernel;
    this.#table = table;
    table.moveTo(this.#resize);
  }

  /** Bytes of the table. */
  get bytes(): number {
    return this.#table.bytes;
  }

  /** Forgets the copied text. Call it before each block: a block may reuse the last one's buffer. */
  begin(): void {
    this.#window = { bytes: NONE, from: 0, to: 0 };
  }

  /** Analyses bytes[from .. to); returns the position that comes next. */
  analyze(bytes: Uint8Array, from: number, to: number, position: number, sink: NumberSink): number {
    const analyzer = this.#analyzer;
    if (to - from > TEXT_BYTES) return analyzer.analyze(bytes, from, to, position, sink);
    const shift = this.#load(bytes, from, to) - from;
    let at = from;
    let next = position;
    for (let refused = 0; at < to; ) {
      const count = this.#call(at + shift, to + shift);
      if (count > 0) sink.numbers(this.#ids, count, next);
      next += count;
      at = this.#state[1] - shift;
      if (at >= to || count === IDS_MOST || this.#makesRoom()) continue;
      const endOf = this.#standard ? stretchEnd : wordEnd;
      const end = refused++ < REFUSED_MOST ? endOf(bytes, at, to) : to;
      next = analyzer.analyze(bytes, at, end, next, sink);
      at = end;
    }
    return next;
  }

  #call(at: number, end: number): number {
    const table = this.#table;
    const { pool, starts, slots } = this.#places;
    const poolEnd = pool + table.pool.length;
    const { size, room, mask } = table;
    const standard = this.#standard ? 1 : 0;
    const count = this.#number(at, end, standard, size, room, mask, pool, poolEnd, starts, slots);
    table.size = this.#state[0];
    return count;
  }

  /** True if the kernel may have stopped because a term did not fit; then more fit. */
  #makesRoom(): boolean {
    const table = this.#table;
    const isFull = table.size >= table.room;
    if (!isFull && table.starts[table.size] + TOKEN_MOST <= table.pool.length) return false;
    table.reserve(TOKEN_MOST);
    return true;
  }

  /** Copies a text, and what follows it, into the memory unless it is there; its address. */
  #load(bytes: Uint8Array, from: number, to: number): number {
    let window = this.#window;
    if (window.bytes !== bytes || from < window.from || to > window.to) {
      window = { bytes, from, to: Math.min(bytes.length, from + TEXT_BYTES) };
      this.#text.set(bytes.subarray(window.from, window.to));
      this.#lower(TEXT, TEXT + window.to - window.from);
      this.#window = window;
    }
    return TEXT + from - window.from;
  }

  readonly #resize: ResizeTerms = (now, lengths) => {
    const pool = TABLE;
    const starts = (pool + lengths.pool + SLACK + 7) & ~7;
    const slots = starts + 4 * lengths.starts;
    const missing = slots + 4 * lengths.slots + SLACK - this.#memory.buffer.byteLength;
    // Growing the memory detaches the arrays.
    const before = {
      ...this.#places,
      startBytes: 4 * now.starts.length,
      slotBytes: 4 * now.slots.length,
    };
    const isOwn = now.pool.buffer === this.#memory.buffer;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    const { buffer } = this.#memory;
    const all = new Uint8Array(buffer);
    const next = {
      pool: new Uint8Array(buffer, pool, lengths.pool),
      starts: new Int32Array(buffer, starts, lengths.starts),
      slots: new Int32Array(buffer, slots, lengths.slots),
    };
    if (isOwn) {
      // The last array first: each moves to behind where it was.
      all.copyWithin(slots, before.slots, before.slots + before.slotBytes);
      all.copyWithin(starts, before.starts, before.starts + before.startBytes);
    } else {
      next.pool.set(now.pool);
      next.starts.set(now.starts);
      next.slots.set(now.slots);
    }
    this.#places = { pool, starts, slots };
    this.#text = new Uint8Array(buffer, TEXT, TEXT_BYTES);
    this.#ids = new Int32Array(buffer, IDS, IDS_MOST);
    this.#state = new Int32Array(buffer, STATE, 2);
    return next;
  };
}

/** The first separator at or behind `at` that is ASCII, or `to`. */
function wordEnd(bytes: Uint8Array, at: number, to: number): number {
  let end = at;
  while (end < to && (bytes[end] >= 0x80 || isWord(bytes[end]))) end++;
  return end;
}

/** The first white space at or behind `at` that ends each word: before ASCII text, or `to`. */
function stretchEnd(bytes: Uint8Array, at: number, to: number): number {
  let end = at;
  while (end < to && !(isSpace(bytes[end]) && (end + 1 === to || bytes[end + 1] < 0x80))) end++;
  return end;
}

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);
const isWord = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || ((byte | 32) >= 97 && (byte | 32) <= 122);
