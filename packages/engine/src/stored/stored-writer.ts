/**
 * Stored values of a group of fields: what hits return and no column can give back. A build writes
 * one group, so that a hit costs one decompression; a field that is added later gets its own one,
 * and the next merge joins them. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | i32 blocks | i32 fields | i32 bytes of symbol tables at the end
 *   1 fields    u32 per stored field: its id in the field plan, ascending (a row names fields by
 *   their place here)
 *   2 first doc i32[blocks + 1]: first document of each block, then docs
 *   3 data at   u32[blocks + 1]: where each block's compressed bytes begin in section 4, then its
 *   length
 *   4 data      blocks, each a zstd frame of long rows or the codes of short rows; the last one has
 *   no rows, but all symbol tables
 *
 * A block of long rows, decompressed: u32 offsets[documents + 1] of rows behind the offsets, then
 * the rows.
 *
 * A block of short rows, which are read one by one: u32 0 (a zstd frame begins with its magic) |
 * u32 where its symbol table (symbol-table.ts) begins in section 4 | u32 per 16 rows: where the
 * first of them begins, behind these numbers | the rows, each varint length, codes. Former versions
 * have a symbol table behind the rows of the first block that uses it.
 *
 * A row: for every field that has values: varint place + 1, varint number of values, the values;
 * then a 0. A value: u8 kind and 0 = varint length, bytes;
 * 1 = i64; 2 = f64.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { packSections } from '../storage/sections.ts';
import {
  GROUP_ROWS,
  joinedRow,
  type StoredReader,
  type StoredValue,
  VALUE_BYTES,
  VALUE_DOUBLE,
  VALUE_LONG,
} from './stored-reader.ts';
import { type SymbolTable, TABLE_BYTES } from './symbol-table.ts';
import { type Rows, trainSymbols } from './train-symbols.ts';

/** Bytes or rows at which a block is closed; one of long rows becomes several frames. */
const BLOCK_BYTES = 64 * 1024;
const BLOCK_DOCUMENTS = 1024;
/** Rows are long from so many bytes on, on average: frames are then much smaller than codes. */
const LONG_ROW_BYTES = 160;
/**
 * Decompressed bytes at which a frame is closed: one document costs the decompression of a frame,
 * about 6 µs. Few rows compress badly: frames of longer rows are closed later.
 */
const FRAME_BYTES = 4 * 1024;
const FRAME_DOCUMENTS = 32;
const LONG_FRAME_BYTES = 8 * 1024;
/**
 * A symbol table costs 20 ms, which the rows of a small commit are not worth: the first rows of a
 * segment are in frames however short they are.
 */
const FRAMES_BEFORE_BYTES = 512 * 1024;
/** Bytes of rows for which one symbol table is used. */
const TABLE_USE_BYTES = 4 * 1024 * 1024;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Collects rows of stored values, block by block. */
export class StoredWriter {
  readonly #fields: readonly number[];
  readonly #rows = new ByteSink(2 * BLOCK_BYTES);
  readonly #offsets = new IntSink();
  readonly #firstDocs = new IntSink();
  readonly #dataAt = new IntSink();
  readonly #data = new ByteSink(BLOCK_BYTES);
  readonly #codes = new ByteSink();
  readonly #row = new ByteSink();
  #docs = 0;
  /** Bytes of the rows of all blocks. */
  #rowBytes = 0;
  #table: SymbolTable | null = null;
  readonly #tables = new ByteSink();
  /** Where blocks of short rows say where their symbol table begins. */
  readonly #placesOfTables = new IntSink();
  /** Bytes of rows that it was used for. */
  #tableUse = 0;

  /** `fields`: ids of the stored fields, ascending. */
  constructor(fields: readonly number[]) {
    this.#fields = fields;
    this.#firstDocs.push(0);
    this.#dataAt.push(0);
    this.#offsets.push(0);
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#data.length + this.#tables.length + this.#rows.length;
  }

  /**
   * Adds `docs` documents; `blocks`: one per field of the constructor, null where none of them
   * has a value.
   */
  add(docs: number, blocks: readonly (FieldBlock | null)[]): void {
    for (let doc = 0; doc < docs; doc++) {
      blocks.forEach((block, place) => {
        if (block !== null) appendValues(this.#rows, place, block, doc);
      });
      this.#endRow();
    }
  }

  /** Adds a document of another segment, out of its groups of stored fields. */
  addFrom(groups: readonly StoredReader[], doc: number): void {
    if (groups.length === 1 && sameNumbers(groups[0].fields, this.#fields)) {
      this.#rows.append(groups[0].rowBytes(doc));
      this.#closeRow();
      return;
    }
    const row = joinedRow(groups, doc);
    this.#fields.forEach((field, place) => {
      const values = row.get(field) ?? [];
      if (values.length === 0) return;
      this.#rows.varint(place + 1);
      this.#rows.varint(values.length);
      for (const value of values) appendValue(this.#rows, value);
    });
    this.#endRow();
  }

  /** The payload's parts. */
  finish(): Uint8Array[] {
    if (this.#offsets.length > 1) this.#closeBlock();
    if (this.#tables.length > 0) this.#closeTables();
    const blocks = this.#firstDocs.length - 1;
    const head = Int32Array.of(this.#docs, blocks, this.#fields.length, this.#tables.length);
    return packSections([
      head,
      Uint32Array.from(this.#fields),
      this.#firstDocs.view(),
      this.#dataAt.view(),
      this.#data.view(),
    ]);
  }

  #endRow(): void {
    this.#rows.byte(0);
    this.#closeRow();
  }

  #closeRow(): void {
    this.#docs++;
    this.#offsets.push(this.#rows.length);
    const isFull = this.#offsets.length > BLOCK_DOCUMENTS || this.#rows.length >= BLOCK_BYTES;
    if (isFull) this.#closeBlock();
  }

  #closeBlock(): void {
    const rows = { bytes: this.#rows.view(), offsets: this.#offsets.view() };
    const documents = rows.offsets.length - 1;
    const first = this.#docs - documents;
    this.#rowBytes += rows.bytes.length;
    const isShort = rows.bytes.length < LONG_ROW_BYTES * documents;
    if (isShort && this.#rowBytes > FRAMES_BEFORE_BYTES) {
      this.#closeCodes(rows);
      this.#endBlock(this.#docs);
    } else this.#closeFrames(rows, first);
    this.#rows.clear();
    this.#offsets.clear();
    this.#offsets.push(0);
  }

  #endBlock(nextDoc: number): void {
    this.#dataAt.push(this.#data.length);
    this.#firstDocs.push(nextDoc);
  }

  /** Blocks of long rows; `first`: the document of the first row. */
  #closeFrames({ bytes, offsets }: Rows, first: number): void {
    const rows = offsets.length - 1;
    for (let from = 0, to = 1; to <= rows; to++) {
      const length = offsets[to] - offsets[from];
      const isMany = to - from >= FRAME_DOCUMENTS;
      const isFull = length >= LONG_FRAME_BYTES || (isMany && length >= FRAME_BYTES);
      if (!isFull && to < rows) continue;
      const own = Uint32Array.from(offsets.subarray(from, to + 1), (at) => at - offsets[from]);
      const block = new Uint8Array(own.byteLength + length);
      block.set(new Uint8Array(own.buffer));
      block.set(bytes.subarray(offsets[from], offsets[to]), own.byteLength);
      this.#data.append(zstdCompressSync(block, OPTIONS));
      this.#endBlock(first + to);
      from = to;
    }
  }

  /** A block of short rows. */
  #closeCodes(rows: Rows): void {
    const { bytes, offsets } = rows;
    const documents = offsets.length - 1;
    const isNew = this.#table === null || this.#tableUse >= TABLE_USE_BYTES;
    if (isNew) {
      [this.#table, this.#tableUse] = [trainSymbols(rows), 0];
      this.#tables.append(this.#table.toBytes());
    }
    this.#tableUse += bytes.length;
    const groups = new Uint32Array(Math.ceil(documents / GROUP_ROWS));
    this.#codes.clear();
    for (let row = 0; row < documents; row++) {
      if (row % GROUP_ROWS === 0) groups[row / GROUP_ROWS] = this.#codes.length;
      this.#encodeRow(bytes, offsets[row], offsets[row + 1]);
    }
    this.#placesOfTables.push(this.#data.length + 4);
    this.#data.append(new Uint8Array(Uint32Array.of(0, this.#tables.length - TABLE_BYTES).buffer));
    this.#data.append(new Uint8Array(groups.buffer));
    this.#data.append(this.#codes.view());
  }

  /** All symbol tables: a reader by location gets them at once. */
  #closeTables(): void {
    const { length } = this.#data;
    this.#data.append(this.#tables.view());
    const { buffer, byteOffset, byteLength } = this.#data.view();
    const view = new DataView(buffer, byteOffset, byteLength);
    for (const at of this.#placesOfTables.view()) {
      view.setUint32(at, length + view.getUint32(at, true), true);
    }
    this.#endBlock(this.#docs);
  }

  #encodeRow(bytes: Uint8Array, from: number, to: number): void {
    this.#row.clear();
    this.#table!.encode(bytes, from, to, this.#row);
    this.#codes.varint(this.#row.length);
    this.#codes.append(this.#row.view());
  }
}

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

function appendValues(rows: ByteSink, place: number, block: FieldBlock, doc: number): void {
  const from = block.starts[doc];
  const to = block.starts[doc + 1];
  if (from === to || block.kind === 'vector') return;
  rows.varint(place + 1);
  rows.varint(to - from);
  for (let i = from; i < to; i++) {
    if (block.kind === 'bytes') {
      appendBytes(rows, block.bytes, block.offsets[i], block.offsets[i + 1]);
    } else {
      appendValue(rows, block.values[i]);
    }
  }
}

function appendBytes(rows: ByteSink, bytes: Uint8Array, from: number, to: number): void {
  rows.byte(VALUE_BYTES);
  rows.varint(to - from);
  rows.append(bytes, from, to);
}

const eight = new DataView(new ArrayBuffer(8));
const eightBytes = new Uint8Array(eight.buffer);

function appendValue(rows: ByteSink, value: StoredValue): void {
  if (typeof value === 'bigint') {
    rows.byte(VALUE_LONG);
    eight.setBigInt64(0, value, true);
    rows.append(eightBytes);
  } else if (typeof value === 'number') {
    rows.byte(VALUE_DOUBLE);
    eight.setFloat64(0, value, true);
    rows.append(eightBytes);
  } else {
    appendBytes(rows, value, 0, value.length);
  }
}
