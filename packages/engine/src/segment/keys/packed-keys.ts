import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import { mapCold } from '../../storage/cold-file.ts';
import type { Region } from '../../storage/directory.ts';
import { corrupt } from '../../storage/frame.ts';
import {
  countSections,
  type NeedSection,
  openSections,
  type Sections,
} from '../../storage/sections.ts';
import { type ColumnReader, type KeyRows, openColumn } from './column-readers.ts';
import { type ColumnHead, hasSections, MOST_COLUMNS, readHeads } from './key-columns.ts';
import {
  bucketBits,
  hashBucket,
  hashMark,
  KEY_BLOCK,
  type KeyHashTable,
} from './key-hash-table.ts';
import type { SegmentKeys } from './keys.ts';
import { FIRST_COLUMN_SECTION } from './keys-writer.ts';

/** Numbers of sections (keys-writer.ts). */
const ROWS = 2;
const RANKS = 3;
const STARTS = 4;
/** Sections of the table of key hashes with bytes of an entry: marks, low and high bits of blocks. */
const ENTRY_BYTES = [
  [5, 1],
  [6, 2],
  [7, 1],
] as const;

/** The keys of a segment of format 2 on a mapped file (layout: keys-writer.ts). */
export class PackedKeys implements SegmentKeys {
  readonly docs: number;
  /** The table of key hashes, for the consistency check. */
  readonly table: KeyHashTable;
  readonly #columns: readonly ColumnReader[];
  /** Columns that are not compared as bytes of the row. */
  readonly #others: readonly number[];
  readonly #rows: KeyRows;
  /** Sections of dictionaries and exceptions, which are read with any key. */
  readonly #whole: readonly number[];
  /** Sections that say where texts are. */
  readonly #starts: readonly number[];
  /** Bytes of a row before the packed columns: those of dictionaries. */
  readonly #skipped: number;
  readonly #bits: number;
  readonly #ranks: Int32Array | null;
  readonly #need: NeedSection | undefined;
  readonly #has: Sections['has'];
  #deleted: Int32Array | null = null;
  /** The key that is looked for: packed, and where its parts lie. */
  readonly #wanted: Uint8Array;
  readonly #from = new Int32Array(MOST_COLUMNS);
  readonly #to = new Int32Array(MOST_COLUMNS);
  #scratch = new Uint8Array(256);

  private constructor(payload: Region, path: string) {
    const count = countSections(payload, path);
    const sections = openSections(payload, Math.max(count, FIRST_COLUMN_SECTION), path);
    this.#need = sections.need;
    this.#has = sections.has;
    for (const section of [0, 1]) sections.need?.(section);
    const [docs, columns, width] = sections.i32(0);
    const heads = readHeads(sections.view(1), width);
    const bytes = sections.bytes(2);
    this.docs = docs;
    this.#bits = bucketBits(docs);
    const ranks = sections.i32(3);
    this.#ranks = ranks.length === 0 ? null : ranks;
    this.table = {
      starts: sections.i32(4),
      marks: sections.bytes(5),
      blocks: sections.u16(6),
      high: sections.bytes(7),
    };
    const owned = heads?.filter(hasSections);
    const right = owned?.every(({ section }, i) => section === FIRST_COLUMN_SECTION + 2 * i);
    if (!right || count !== FIRST_COLUMN_SECTION + 2 * owned!.length) {
      throw corrupt(path, 'the sections of its key columns do not fit');
    }
    if (heads?.length !== columns || bytes.length !== docs * width || !this.#fits()) {
      throw corrupt(path, 'its sections do not fit its head');
    }
    this.#rows = { bytes, width };
    this.#whole = owned!.flatMap(({ encoding, section }) => {
      return encoding === 'text' ? [] : [section, section + 1];
    });
    this.#starts = owned!.flatMap(({ encoding, section }) => (encoding === 'text' ? section : []));
    if (sections.need !== undefined) mapCold(this.#whole, (section) => sections.need?.(section));
    this.#columns = heads.map((head) => openColumn(head, sections, this.#rows, docs, path));
    this.#others = heads.flatMap((_, i) => (this.#columns[i].packed ? [] : [i]));
    this.#skipped = skippedBytes(heads);
    this.#wanted = new Uint8Array(width);
  }

  /** Opens a payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string): PackedKeys {
    return new PackedKeys(payload, path);
  }

  hide(deleted: Int32Array | null): void {
    this.#deleted = deleted;
  }

  find(key: Uint8Array): number {
    return this.findHashed(hashBytes(key, 0, key.length), key, 0, key.length);
  }

  get isCold(): boolean {
    return this.#need !== undefined;
  }

  demandPlaces(): void {
    mapCold(this.#starts, (section) => this.#need?.(section));
  }

  /** Whether `ranks` can be read now. */
  get hasRanks(): boolean {
    return this.#ranks === null || this.#has?.(RANKS) !== false;
  }

  get ranks(): Int32Array | null {
    this.#need?.(RANKS);
    return this.#ranks;
  }

  mayHave(hash: number): boolean {
    const bucket = hashBucket(hash, this.#bits);
    this.#needBucket(bucket);
    const mark = hashMark(hash, this.#bits);
    for (let entry = this.table.starts[bucket]; entry < this.table.starts[bucket + 1]; entry++) {
      if (this.table.marks[entry] === mark) return true;
    }
    return false;
  }

  findHashed(hash: number, source: Uint8Array, from: number, to: number): number {
    const { starts, marks } = this.table;
    const bucket = hashBucket(hash, this.#bits);
    this.#needBucket(bucket);
    const mark = hashMark(hash, this.#bits);
    const end = starts[bucket + 1];
    let wanted = false;
    let last = -1;
    for (let entry = starts[bucket]; entry < end; entry++) {
      if (marks[entry] !== mark) continue;
      if (!wanted && !this.#want(source, from, to)) return -1;
      wanted = true;
      const block = this.#block(entry);
      if (block === last) continue;
      last = block;
      const found = this.#findIn(block, source);
      if (found >= 0) return found;
    }
    return -1;
  }

  findAll(key: Uint8Array): readonly number[] {
    const hash = hashBytes(key, 0, key.length);
    const bucket = hashBucket(hash, this.#bits);
    this.#needBucket(bucket);
    const mark = hashMark(hash, this.#bits);
    if (!this.#want(key, 0, key.length)) return [];
    const found = new Set<number>();
    for (let entry = this.table.starts[bucket]; entry < this.table.starts[bucket + 1]; entry++) {
      if (this.table.marks[entry] !== mark) continue;
      const first = this.#block(entry) * KEY_BLOCK;
      const end = Math.min(first + KEY_BLOCK, this.docs);
      this.#needRows(first, end);
      for (let doc = first; doc < end; doc++) {
        if (this.#isWanted(doc, key) && !this.#isHidden(doc)) found.add(doc);
      }
    }
    return [...found];
  }

  isKey(doc: number, source: Uint8Array, from: number, to: number): boolean {
    this.#needRows(doc, doc + 1);
    return this.#want(source, from, to) && this.#isWanted(doc, source);
  }

  key(doc: number): Uint8Array {
    this.#needRows(doc, doc + 1);
    const length = this.#write(doc);
    return this.#scratch.slice(0, length);
  }

  rank(doc: number): number {
    const { ranks } = this;
    return ranks === null ? doc : ranks[doc];
  }

  forEach(
    visit: (bytes: Uint8Array, length: number, doc: number) => void,
    from = 0,
    to = this.docs,
  ): void {
    this.#needRows(from, to);
    for (let doc = from; doc < to; doc++) {
      const length = this.#write(doc);
      visit(this.#scratch, length, doc);
    }
  }

  #fits(): boolean {
    const { docs, table } = this;
    const { starts, marks, blocks, high } = table;
    return (
      (this.#ranks === null || this.#ranks.length === docs) &&
      starts.length === 2 ** this.#bits + 1 &&
      (this.#need !== undefined || starts[starts.length - 1] === docs) &&
      marks.length === docs &&
      blocks.length === docs &&
      (high.length === docs || (high.length === 0 && docs <= KEY_BLOCK * 2 ** 16))
    );
  }

  /** Of a cold file: demands the entries of a bucket. */
  #needBucket(bucket: number): void {
    const need = this.#need;
    if (need === undefined) return;
    need(STARTS, 4 * bucket, 8);
    const { starts, high } = this.table;
    const [from, to] = [starts[bucket], starts[bucket + 1]];
    const sections = high.length === 0 ? ENTRY_BYTES.slice(0, 2) : ENTRY_BYTES;
    mapCold(sections, ([section, size]) => need(section, size * from, size * (to - from)));
  }

  /** Of a cold file: demands the rows of documents, and values that are not in rows. */
  #needRows(from: number, to: number): void {
    const need = this.#need;
    if (need === undefined) return;
    const { width } = this.#rows;
    mapCold([ROWS, ...this.#whole], (section) => {
      if (section === ROWS) need(ROWS, width * from, width * (to - from));
      else need(section);
    });
  }

  #block(entry: number): number {
    const { blocks, high } = this.table;
    return high.length === 0 ? blocks[entry] : blocks[entry] | (high[entry] << 16);
  }

  /** The live document of a block whose key is the wanted one, or -1. */
  #findIn(block: number, source: Uint8Array): number {
    const end = Math.min((block + 1) * KEY_BLOCK, this.docs);
    this.#needRows(block * KEY_BLOCK, end);
    for (let doc = block * KEY_BLOCK; doc < end; doc++) {
      if (this.#isWanted(doc, source) && !this.#isHidden(doc)) return doc;
    }
    return -1;
  }

  /** Makes source[from .. to) the wanted key; false: no document has it. */
  #want(source: Uint8Array, from: number, to: number): boolean {
    if (!this.#split(source, from, to)) return false;
    for (let i = 0; i < this.#columns.length; i++) {
      if (!this.#columns[i].pack(source, this.#from[i], this.#to[i], this.#wanted)) return false;
    }
    return true;
  }

  /** Finds the parts of a key; false: it does not have one per column. */
  #split(source: Uint8Array, from: number, to: number): boolean {
    const last = this.#columns.length - 1;
    let column = 0;
    let begin = from;
    for (let at = from; last > 0 && at + 1 < to; at++) {
      if (source[at] !== 0 || source[++at] !== 1) continue;
      if (column === last) return false;
      this.#from[column] = begin;
      this.#to[column++] = at - 1;
      begin = at + 1;
    }
    this.#from[column] = begin;
    this.#to[column] = to;
    return column === last;
  }

  /** Packed columns from the end: the last bytes of keys differ most. */
  #isWanted(doc: number, source: Uint8Array): boolean {
    const { bytes, width } = this.#rows;
    const row = doc * width;
    for (let i = width - 1; i >= this.#skipped; i--) {
      if (bytes[row + i] !== this.#wanted[i]) return false;
    }
    for (const i of this.#others) {
      if (!this.#columns[i].equals(doc, source, this.#from[i], this.#to[i])) return false;
    }
    return true;
  }

  /** Writes a document's key into the scratch; returns its length. */
  #write(doc: number): number {
    let at = 0;
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i];
      const needed = at + column.room(doc) + 2;
      if (needed > this.#scratch.length) this.#widen(needed);
      if (i > 0) {
        this.#scratch[at++] = 0;
        this.#scratch[at++] = 1;
      }
      at = column.write(doc, this.#scratch, at);
    }
    return at;
  }

  #widen(bytes: number): void {
    const wider = new Uint8Array(2 * bytes);
    wider.set(this.#scratch);
    this.#scratch = wider;
  }

  #isHidden(doc: number): boolean {
    const deleted = this.#deleted;
    return deleted !== null && (deleted[doc >> 5] & (1 << (doc & 31))) !== 0;
  }
}

/** Dictionaries come first in a row. */
function skippedBytes(heads: readonly ColumnHead[]): number {
  return heads.reduce(
    (sum, { encoding, width }) => (encoding === 'dictionary' ? sum + width : sum),
    0,
  );
}
