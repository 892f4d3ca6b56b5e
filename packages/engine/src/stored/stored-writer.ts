/**
 * Stored values of a group of fields: what hits return and no column can give back. A build writes
 * one group, so that a hit costs one decompression; a field that is added later gets its own one,
 * and the next merge joins them. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | i32 blocks | i32 fields | zero
 *   1 fields    u32 per stored field: its id in the field plan, ascending (a row names fields by
 *   their place here)
 *   2 first doc i32[blocks + 1]: first document of each block, then docs
 *   3 data at   u32[blocks + 1]: where each block's compressed bytes begin in section 4, then its
 *   length
 *   4 data      zstd frames, one a block
 *
 * A block, decompressed: u32 offsets[documents + 1] of rows behind the offsets, then the rows. A
 * row: for every field that has values: varint place + 1, varint number of values, the values;
 * then a 0. A value: u8 kind and 0 = varint length, bytes;
 * 1 = i64; 2 = f64.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import { ByteSink, IntSink } from '../base/growing.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { packSections } from '../storage/sections.ts';
import {
  joinedRow,
  type StoredReader,
  type StoredValue,
  VALUE_BYTES,
  VALUE_DOUBLE,
  VALUE_LONG,
} from './stored-reader.ts';

/**
 * Decompressed bytes at which a block is closed: one document costs one block's decompression,
 * about 6 µs. Few rows compress badly: blocks of long rows are closed later.
 */
const BLOCK_BYTES = 4 * 1024;
const BLOCK_DOCUMENTS = 32;
const LONG_ROWS_BYTES = 8 * 1024;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Collects rows of stored values, block by block. */
export class StoredWriter {
  readonly #fields: readonly number[];
  readonly #rows = new ByteSink(2 * LONG_ROWS_BYTES);
  readonly #offsets = new IntSink();
  readonly #firstDocs = new IntSink();
  readonly #dataAt = new IntSink();
  readonly #data = new ByteSink(4 * LONG_ROWS_BYTES);
  #docs = 0;

  /** `fields`: ids of the stored fields, ascending. */
  constructor(fields: readonly number[]) {
    this.#fields = fields;
    this.#firstDocs.push(0);
    this.#dataAt.push(0);
    this.#offsets.push(0);
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#data.length + this.#rows.length;
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
    const blocks = this.#firstDocs.length - 1;
    const head = Int32Array.of(this.#docs, blocks, this.#fields.length, 0);
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
    const { length } = this.#rows;
    const isMany = this.#offsets.length > BLOCK_DOCUMENTS;
    if (length >= LONG_ROWS_BYTES || (isMany && length >= BLOCK_BYTES)) this.#closeBlock();
  }

  #closeBlock(): void {
    const offsets = this.#offsets.view();
    const block = new Uint8Array(4 * offsets.length + this.#rows.length);
    block.set(new Uint8Array(offsets.buffer, offsets.byteOffset, offsets.byteLength));
    block.set(this.#rows.view(), 4 * offsets.length);
    this.#data.append(zstdCompressSync(block, OPTIONS));
    this.#dataAt.push(this.#data.length);
    this.#firstDocs.push(this.#docs);
    this.#rows.clear();
    this.#offsets.clear();
    this.#offsets.push(0);
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
