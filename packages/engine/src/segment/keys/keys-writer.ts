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
import { ByteSink, IntSink } from '../../base/arrays/growing.ts';
import { partOf, type Steps } from '../../base/steps.ts';
import { packSections } from '../../storage/sections.ts';
import { encodeColumn, packColumns, splitKeys } from './encode-columns.ts';
import { packHeads } from './key-columns.ts';
import { buildKeyHashTable, hashesOfKeys, type KeyHashTable } from './key-hash-table.ts';
import {
  type FlatKeys,
  type KeySource,
  keyCount,
  rankingKeys,
  type VisitKey,
} from './key-order.ts';
import { type PackedRows, packingKeys } from './key-rows.ts';

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
    const keys = { bytes: this.#keys.view(), offsets: this.#offsets.view() };
    const walk = (visit: VisitKey) => {
      for (let doc = 0; doc < this.docs; doc++) {
        visit(keys.bytes, keys.offsets[doc], keys.offsets[doc + 1]);
      }
    };
    return encodingKeys({ docs: this.docs, walks: [walk], flat: () => keys });
  }
}

/** Fewer keys are encoded from memory, which costs less. */
const PACKED_FROM = 65_536;

/** The payload's parts of the keys of a source, made in steps. */
export function* encodingKeys(source: KeySource, packedFrom = PACKED_FROM): Steps<Uint8Array[]> {
  const isSmall = source.docs < packedFrom;
  const packing = packingKeys(source, FIRST_COLUMN_SECTION);
  const packed = isSmall ? null : yield* partOf(packing, 0, 0.8);
  if (packed === null) return yield* partOf(encodingFlatKeys(source.flat()), 0, 1);
  yield 0.8;
  const { heads, width, rows, ranks, hashes, sections } = packed;
  return payload({ heads, width, rows, ranks, sections }, buildKeyHashTable(hashes));
}

/** As `encodingKeys`, for keys of any form. */
export function* encodingFlatKeys(keys: FlatKeys): Steps<Uint8Array[]> {
  const columns = splitKeys(keys).map(encodeColumn);
  yield 0.2;
  const { heads, width, rows } = packColumns(columns, keyCount(keys), FIRST_COLUMN_SECTION);
  yield 0.3;
  const ranks = yield* partOf(rankingKeys(keys), 0.3, 0.8);
  const sections = columns.flatMap((column) => column.sections);
  return payload({ heads, width, rows, ranks, sections }, buildKeyHashTable(hashesOfKeys(keys)));
}

function payload(
  { heads, width, rows, ranks, sections }: Omit<PackedRows, 'hashes'>,
  { starts, marks, blocks, high }: KeyHashTable,
): Uint8Array[] {
  return packSections([
    Int32Array.of(ranks.length, heads.length, width, 0),
    packHeads(heads),
    rows,
    inOrder(ranks) ? new Int32Array(0) : ranks,
    ...[starts, marks, blocks, high],
    ...sections,
  ]);
}

const inOrder = (ranks: Int32Array): boolean => ranks.every((rank, doc) => rank === doc);
