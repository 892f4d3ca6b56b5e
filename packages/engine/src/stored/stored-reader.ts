import { mapCold } from '../storage/cold-file.ts';
import type { Demand, Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections } from '../storage/sections.ts';
import { unpackFrame } from '../storage/zstd.ts';
import { decodeSymbols, MOST_BYTES, TABLE_BYTES } from './symbol-table.ts';

const SECTIONS = 5;
export const VALUE_BYTES = 0;
export const VALUE_LONG = 1;
export const VALUE_DOUBLE = 2;
/** Bytes of a block of short rows before the places of its groups. */
export const CODES_HEAD_BYTES = 8;
/** Rows of a group of short rows. */
export const GROUP_ROWS = 16;
/**
 * Decompressed blocks that are kept, as long as they are small: the hits of a page, which are read
 * several times over (fields, highlights, the next page).
 */
const CACHED_BLOCKS = 256;
const CACHED_BYTES = 4 * 2 ** 20;
/** A buffer that small blocks share. */
const SHARED_BYTES = 64 * 1024;
/** A block of one huge document is as large as that document's stored values. */
const MAX_BLOCK_BYTES = 2 ** 30;

/**
 * A stored value: bytes (TEXT and KEYWORD as UTF-8, IP as 16 bytes), LONG, DATE, BOOL as bigint,
 * DOUBLE as number.
 */
export type StoredValue = Uint8Array | bigint | number;
/** Values of one document by field id; a field without a value is absent. */
export type StoredRow = ReadonlyMap<number, readonly StoredValue[]>;

interface Block {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

/**
 * Stored values on a mapped file (layout: stored-writer.ts). Keeps a few decompressed blocks; not
 * for two threads at once.
 */
export class StoredReader {
  readonly docs: number;
  /** Ids of the stored fields, ascending. */
  readonly fields: readonly number[];
  readonly #firstDocs: Int32Array;
  readonly #dataAt: Uint32Array;
  readonly #data: Uint8Array;
  readonly #view: DataView;
  readonly #path: string;
  /** Of a cold file: demands a block before it is read. */
  readonly #need: Region['need'];
  /** Bytes of symbol tables at the end of the data; 0: each is behind a block. */
  readonly #tableBytes: number;
  /** The same for what is before the blocks. */
  readonly #needHead: () => void;
  readonly #cache = new Map<number, Block>();
  #cachedBytes = 0;
  #shared = new Uint8Array(0);
  #sharedAt = 0;
  /** The short row that was read last. */
  #row = new Uint8Array(1024);

  private constructor(payload: Region, path: string) {
    const sections = openSections(payload, SECTIONS, path);
    const headBytes = sections.bytes(4).byteOffset - sections.bytes(0).byteOffset;
    this.#needHead = () => sections.need?.(0, 0, headBytes);
    this.#needHead();
    const head = sections.i32(0);
    this.#path = path;
    this.#need = payload.need;
    this.docs = head[0];
    this.fields = Object.freeze([...sections.u32(1)]);
    this.#firstDocs = sections.i32(2);
    this.#dataAt = sections.u32(3);
    this.#data = sections.bytes(4);
    const { buffer, byteOffset, length } = this.#data;
    this.#view = new DataView(buffer, byteOffset, length);
    const blocks = head[1];
    this.#tableBytes = head[3];
    if (
      head.length !== 4 ||
      this.fields.length !== head[2] ||
      this.#firstDocs.length !== blocks + 1 ||
      this.#dataAt.length !== blocks + 1 ||
      this.#firstDocs[blocks] !== this.docs ||
      this.#dataAt[blocks] !== this.#data.length ||
      this.#tableBytes < 0 ||
      this.#tableBytes > this.#data.length
    ) {
      throw corrupt(path, 'its sections do not fit its head');
    }
  }

  /** Opens a payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string): StoredReader {
    return new StoredReader(payload, path);
  }

  /** The stored values of a document. Throws corrupt_index when its block cannot be read. */
  row(doc: number): StoredRow {
    return this.#decode(this.rowBytes(doc));
  }

  /** The document's encoded row, for merges: a view that the next row may overwrite. */
  rowBytes(doc: number): Uint8Array {
    if (doc < 0 || doc >= this.docs) throw new RangeError(`no document ${doc}`);
    if (this.#need !== undefined) this.#needHead();
    const number = this.#blockOf(doc);
    const index = doc - this.#firstDocs[number];
    const at = this.#dataAt[number];
    if (this.#need !== undefined) this.#needBlock(number, this.#need);
    if (at + CODES_HEAD_BYTES <= this.#data.length && this.#view.getUint32(at, true) === 0) {
      return this.#shortRow(number, index);
    }
    const block = this.#block(number);
    const rows = 4 * block.offsets.length;
    const [from, to] = [block.offsets[index], block.offsets[index + 1]];
    if (from > to || rows + to > block.bytes.length) throw this.#damaged(number);
    return block.bytes.subarray(rows + from, rows + to);
  }

  #needBlock(number: number, need: Demand): void {
    const { byteOffset, length } = this.#data;
    const [at, end] = [this.#dataAt[number], this.#dataAt[number + 1]];
    const ranges = [
      [at, end - at],
      [length - this.#tableBytes, this.#tableBytes],
    ];
    mapCold(ranges, ([from, bytes]) => {
      if (bytes > 0) need(byteOffset + from, bytes);
    });
  }

  /** Walks every row to its end. Throws corrupt_index where one does not hold together. */
  check(): void {
    for (let doc = 0; doc < this.docs; doc++) {
      const row = this.rowBytes(doc);
      if (new RowCursor(row).isWhole(this.fields.length)) continue;
      throw corrupt(this.#path, `the stored values of document ${doc} do not hold together`);
    }
  }

  #blockOf(doc: number): number {
    let low = 0;
    let high = this.#firstDocs.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstDocs[middle] <= doc) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Row `index` of a block of short rows. */
  #shortRow(number: number, index: number): Uint8Array {
    const data = this.#data;
    const end = this.#dataAt[number + 1];
    const documents = this.#firstDocs[number + 1] - this.#firstDocs[number];
    const groups = this.#dataAt[number] + CODES_HEAD_BYTES;
    const table = this.#view.getUint32(groups - 4, true);
    const rows = groups + 4 * Math.ceil(documents / GROUP_ROWS);
    if (rows > end || table + TABLE_BYTES > data.length) throw this.#damaged(number);
    this.#need?.(data.byteOffset + table, TABLE_BYTES);
    let at = rows + this.#view.getUint32(groups + 4 * Math.floor(index / GROUP_ROWS), true);
    for (let left = index % GROUP_ROWS; ; left--) {
      let length = 0;
      let byte = 128;
      for (let shift = 0; byte > 127; shift += 7) {
        if (at >= end || shift > 28) throw this.#damaged(number);
        byte = data[at++];
        length |= (byte & 127) << shift;
      }
      if (length < 0 || at + length > end) throw this.#damaged(number);
      if (left === 0) return this.#decoded(number, table, at, length);
      at += length;
    }
  }

  #decoded(number: number, table: number, at: number, length: number): Uint8Array {
    if (this.#row.length < MOST_BYTES * length) this.#row = new Uint8Array(MOST_BYTES * length);
    const decoded = decodeSymbols(this.#data, table, at, at + length, this.#row);
    if (decoded < 0) throw this.#damaged(number);
    return this.#row.subarray(0, decoded);
  }

  #block(number: number): Block {
    const cached = this.#cache.get(number);
    if (cached !== undefined) return cached;
    const bytes = this.#decompress(number);
    const documents = this.#firstDocs[number + 1] - this.#firstDocs[number];
    if (bytes.length < 4 * (documents + 1)) throw this.#damaged(number);
    const block = { bytes, offsets: new Int32Array(bytes.buffer, bytes.byteOffset, documents + 1) };
    this.#keep(number, block);
    return block;
  }

  /** Puts a block into the cache; the oldest ones go. */
  #keep(number: number, block: Block): void {
    this.#cache.set(number, block);
    this.#cachedBytes += block.bytes.length;
    for (const [oldest, { bytes }] of this.#cache) {
      const small = this.#cache.size <= CACHED_BLOCKS && this.#cachedBytes <= CACHED_BYTES;
      if (small || oldest === number) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= bytes.length;
    }
  }

  #decompress(number: number): Uint8Array {
    const packed = this.#data.subarray(this.#dataAt[number], this.#dataAt[number + 1]);
    try {
      return unpackFrame(packed, MAX_BLOCK_BYTES, (bytes) => this.#room(bytes));
    } catch (cause) {
      throw this.#damaged(number, cause);
    }
  }

  /**
   * Room for a block. Small blocks share buffers, which cost more than their unpacking; the oldest
   * blocks leave the cache first, so a buffer goes with the last of its blocks.
   */
  #room(bytes: number): Uint8Array {
    if (bytes > SHARED_BYTES / 4) return new Uint8Array(bytes);
    if (this.#sharedAt + bytes > this.#shared.length) {
      this.#shared = new Uint8Array(SHARED_BYTES);
      this.#sharedAt = 0;
    }
    const from = this.#sharedAt;
    // Offsets of rows are aligned.
    this.#sharedAt = (from + bytes + 3) & -4;
    return this.#shared.subarray(from, from + bytes);
  }

  #damaged(number: number, cause?: unknown): Error {
    const error = corrupt(this.#path, `block ${number} of stored values cannot be read`);
    if (cause !== undefined) error.cause = cause;
    return error;
  }

  #decode(row: Uint8Array): StoredRow {
    const values = new Map<number, StoredValue[]>();
    const cursor = new RowCursor(row);
    for (let place = cursor.varint(); place !== 0; place = cursor.varint()) {
      const count = cursor.varint();
      const list: StoredValue[] = [];
      for (let i = 0; i < count; i++) list.push(cursor.value());
      values.set(this.fields[place - 1], list);
    }
    return values;
  }
}

/** The values of a document in all groups; the later group wins. */
export function joinedRow(groups: readonly StoredReader[], doc: number): StoredRow {
  const values = new Map<number, readonly StoredValue[]>();
  for (const group of groups) {
    for (const field of group.fields) values.delete(field);
    for (const [field, own] of group.row(doc)) values.set(field, own);
  }
  return values;
}

/** Reads a row from its beginning. */
class RowCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++];
      value |= (byte & 127) << shift;
      if (!(byte > 127)) return value >>> 0;
    }
  }

  /** True when the row is made of values of fields 1 .. `fields`, and ends where it should. */
  isWhole(fields: number): boolean {
    for (let place = this.varint(); place !== 0; place = this.varint()) {
      if (place > fields) return false;
      for (let count = this.varint(); count > 0; count--) {
        const kind = this.#bytes[this.#at++];
        if (kind !== VALUE_BYTES && kind !== VALUE_LONG && kind !== VALUE_DOUBLE) return false;
        const length = kind === VALUE_BYTES ? this.varint() : 8;
        this.#at += length;
        if (this.#at > this.#bytes.length) return false;
      }
    }
    return this.#at === this.#bytes.length;
  }

  value(): StoredValue {
    const kind = this.#bytes[this.#at++];
    if (kind === VALUE_BYTES) {
      const length = this.varint();
      this.#at += length;
      return this.#bytes.slice(this.#at - length, this.#at);
    }
    this.#at += 8;
    if (kind === VALUE_LONG) return this.#view.getBigInt64(this.#at - 8, true);
    return this.#view.getFloat64(this.#at - 8, true);
  }
}
