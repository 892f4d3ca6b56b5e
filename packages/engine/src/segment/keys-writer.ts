/**
 * The keys of a segment: component `keys`. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | i32 key columns | i32 row width | zero
 *   1 columns  and
 *   2 rows     of the key columns (key-columns.ts)
 *   3 ranks    i32[docs]: rank of the document's key among the segment's keys in byte order, equal
 *              keys (one of them may live) in document order; empty if it is the document's number
 *   4 starts, 5 marks, 6 blocks, 7 high: the table of key hashes (key-hash-table.ts)
 *   8 …        the own sections of text and dictionary columns, two each
 */
import { ByteSink, IntSink } from '../base/growing.ts';
import { partOf, type Steps } from '../base/steps.ts';
import { packSections } from '../storage/sections.ts';
import { encodeColumn, packColumns, splitKeys } from './encode-columns.ts';
import { packHeads } from './key-columns.ts';
import { buildKeyHashTable } from './key-hash-table.ts';
import { type FlatKeys, keyCount, rankingKeys } from './key-order.ts';

/** Number of the first section of a column's own. */
export const FIRST_COLUMN_SECTION = 8;

/** Collects the keys of a segment. */
export class KeysWriter {
  readonly #keys = new ByteSink();
  readonly #offsets = new IntSink();

  constructor() {
    this.#offsets.push(0);
  }

  get docs(): number {
    return this.#offsets.length - 1;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#keys.length + 4 * this.#offsets.length;
  }

  /** Adds a document with key bytes[from .. to). */
  add(bytes: Uint8Array, from: number, to: number): void {
    this.#keys.append(bytes, from, to);
    this.#offsets.push(this.#keys.length);
  }

  /** The payload's parts, made in steps. */
  finishing(): Steps<Uint8Array[]> {
    return encodingKeys({ bytes: this.#keys.view(), offsets: this.#offsets.view() });
  }
}

function* encodingKeys(keys: FlatKeys): Steps<Uint8Array[]> {
  const docs = keyCount(keys);
  const columns = splitKeys(keys).map(encodeColumn);
  yield 0.2;
  const { heads, width, rows } = packColumns(columns, docs, FIRST_COLUMN_SECTION);
  yield 0.3;
  const ranks = yield* partOf(rankingKeys(keys), 0.3, 0.8);
  const { starts, marks, blocks, high } = buildKeyHashTable(keys);
  return packSections([
    Int32Array.of(docs, heads.length, width, 0),
    packHeads(heads),
    rows,
    inOrder(ranks) ? new Int32Array(0) : ranks,
    starts,
    marks,
    blocks,
    high,
    ...columns.flatMap(({ sections }) => sections),
  ]);
}

const inOrder = (ranks: Int32Array): boolean => ranks.every((rank, doc) => rank === doc);
