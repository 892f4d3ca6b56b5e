/**
 * Compression of short rows that are read one by one, after FSST (Boncz, Neumann, Leis, VLDB 2020):
 * a table of up to 255 symbols of 1 to 8 bytes. A code below 255 is the number of a symbol. Code
 * 255 escapes the next byte, which is copied unchanged. Layout of a table, `TABLE_BYTES` long:
 *
 *   u8 number of symbols | u8[255] length of each, or 0 | u8[255 * 8] bytes of each, then zeros
 */
import type { ByteSink } from '../base/arrays/growing.ts';

/** Bytes of a table. */
export const TABLE_BYTES = 256 + 255 * 8;
/** Bytes of a symbol, at most. */
export const MOST_BYTES = 8;
/** Symbols of a table, at most. */
export const MOST_SYMBOLS = 255;
const ESCAPE = 255;
const SLOTS = 4096;
const NONE = 0xffff;
/** Bits of the first four bytes and of the last four, by length of a symbol. */
const LOW_MASKS = Int32Array.of(0, 0xff, 0xffff, 0xff_ffff, -1, -1, -1, -1, -1);
const HIGH_MASKS = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xff_ffff, -1);

/** A symbol: its first four bytes, its last four, and their number. */
export interface SymbolBytes {
  readonly low: number;
  readonly high: number;
  readonly length: number;
}

const slotOf = (low: number): number => Math.imul(low & 0xff_ffff, 0x9e3779b1) >>> 20;

/** Symbols by what they begin with. Of longer ones with the same slot the first one stays. */
export class SymbolTable {
  readonly symbols: SymbolBytes[] = [];
  readonly #lows = new Int32Array(MOST_SYMBOLS);
  readonly #highs = new Int32Array(MOST_SYMBOLS);
  readonly #lengths = new Uint8Array(MOST_SYMBOLS);
  /** The code of three bytes and more by their slot. */
  readonly #slots = new Uint16Array(SLOTS).fill(NONE);
  /** The code of two bytes, or of one. */
  readonly #pairs = new Uint16Array(65_536).fill(NONE);
  readonly #singles = new Uint16Array(256).fill(NONE);

  /** Takes the best symbols first. */
  constructor(symbols: Iterable<SymbolBytes>) {
    for (const symbol of symbols) {
      if (this.symbols.length === MOST_SYMBOLS) break;
      this.#add(symbol);
    }
    for (let pair = 0; pair < 65_536; pair++) {
      if (this.#pairs[pair] === NONE) this.#pairs[pair] = this.#singles[pair & 255];
    }
  }

  #add(symbol: SymbolBytes): void {
    const { low, high, length } = symbol;
    const code = this.symbols.length;
    if (length > 2) {
      const slot = slotOf(low);
      if (this.#slots[slot] !== NONE) return;
      this.#slots[slot] = code;
    } else if (length === 2) this.#pairs[low & 0xffff] = code;
    else this.#singles[low & 255] = code;
    this.#lows[code] = low;
    this.#highs[code] = high;
    this.#lengths[code] = length;
    this.symbols.push(symbol);
  }

  /** The code of the longest symbol at an offset; -1: none. `to`: the end of the row. */
  longest(bytes: Uint8Array, at: number, to: number): number {
    const left = to - at;
    if (left === 1) return codeOrNone(this.#singles[bytes[at]]);
    const low = load(bytes, at, left);
    if (left > 2) {
      const code = this.#slots[slotOf(low)];
      if (code !== NONE && this.#lengths[code] <= left) {
        const length = this.#lengths[code];
        const high = length > 4 ? load(bytes, at + 4, left - 4) : 0;
        const isLow = ((low ^ this.#lows[code]) & LOW_MASKS[length]) === 0;
        if (isLow && ((high ^ this.#highs[code]) & HIGH_MASKS[length]) === 0) return code;
      }
    }
    return codeOrNone(this.#pairs[low & 0xffff]);
  }

  /** Bytes of the symbol of a code. */
  lengthOf(code: number): number {
    return this.#lengths[code];
  }

  /** Appends the codes of bytes[from .. to). */
  encode(bytes: Uint8Array, from: number, to: number, codes: ByteSink): void {
    for (let at = from; at < to; ) {
      const code = this.longest(bytes, at, to);
      if (code >= 0) {
        codes.byte(code);
        at += this.#lengths[code];
      } else {
        codes.byte(ESCAPE);
        codes.byte(bytes[at++]);
      }
    }
  }

  /** The layout of the file. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(TABLE_BYTES);
    bytes[0] = this.symbols.length;
    this.symbols.forEach(({ low, high, length }, code) => {
      bytes[1 + code] = length;
      for (let i = 0; i < length; i++) bytes[256 + MOST_BYTES * code + i] = byteOf(low, high, i);
    });
    return bytes;
  }
}

const codeOrNone = (code: number): number => (code === NONE ? -1 : code);

/** A byte of a symbol. */
export const byteOf = (low: number, high: number, i: number): number =>
  ((i < 4 ? low >>> (8 * i) : high >>> (8 * (i - 4))) & 255) >>> 0;

/** Up to four bytes, the first one lowest; zeros where `left` is less. */
function load(bytes: Uint8Array, at: number, left: number): number {
  if (left >= 4) {
    return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
  }
  let value = 0;
  for (let i = 0; i < left; i++) value |= bytes[at + i] << (8 * i);
  return value;
}

/**
 * Writes what codes[from .. to) mean to `out`; the number of bytes, or -1 if they are damaged or
 * `out` is too short. The table begins at `table` of the same bytes.
 */
export function decodeSymbols(
  bytes: Uint8Array,
  table: number,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  const symbols = bytes[table];
  if (out.length < MOST_BYTES * (to - from)) return -1;
  let end = 0;
  for (let at = from; at < to; at++) {
    const code = bytes[at];
    if (code === ESCAPE) {
      if (++at === to) return -1;
      out[end++] = bytes[at];
    } else if (code < symbols) {
      const length = bytes[table + 1 + code];
      if (length > MOST_BYTES) return -1;
      const symbol = table + 256 + MOST_BYTES * code;
      for (let i = 0; i < length; i++) out[end++] = bytes[symbol + i];
    } else return -1;
  }
  return end;
}
