/**
 * Keys as rows of a fixed width, made while the keys are walked, so that a segment of any size
 * needs no memory for their texts. Possible if each column is a dictionary, hexadecimal texts,
 * UUIDs or numbers in sorting form, and no value contains a zero byte:
 *   1. a walk surveys the columns and chooses the encodings that `encodeColumn` chooses
 *   2. a walk packs each key as a row that sorts like the key: columns in their order, ranks of
 *      dictionary values in place of their numbers
 *   3. the rows are sorted, then changed in place to the layout of the component
 */

import { sortingByteStrings } from '../../base/arrays/sort-bytes.ts';
import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import { partOf, type Steps } from '../../base/steps.ts';
import { TermTable, termOrder } from '../../inverted/write/term-table.ts';
import {
  dictionaryWidth,
  isDictionarySample,
  MOST_VALUES,
  type PlacedColumn,
  partsOf,
  placeColumns,
  SAMPLE,
} from './encode-columns.ts';
import { type ColumnHead, MOST_COLUMNS } from './key-columns.ts';
import type { KeySource } from './key-order.ts';
import {
  integerWidth,
  type PackedForm,
  packValue,
  parseInteger,
  parseNumber,
  UUID_BYTES,
  UUID_CHARS,
} from './key-values.ts';

/** The keys of a segment, packed. */
export interface PackedRows {
  readonly heads: readonly ColumnHead[];
  /** The own sections of the columns, in the order of the heads. */
  readonly sections: readonly ArrayBufferView[];
  /** Bytes per row. */
  readonly width: number;
  readonly rows: Uint8Array;
  /** By document: the rank of its key in byte order; equal keys rank in document order. */
  readonly ranks: Int32Array;
  /** By document: the hash of its key. */
  readonly hashes: Uint32Array;
}

/** Addresses of rows are int32. */
const MOST_BYTES = 2 ** 31 - 1;

/**
 * The packed keys, or null if they have no such form. `section`: number of the first own one of a
 * column.
 */
export function* packingKeys(source: KeySource, section: number): Steps<PackedRows | null> {
  const columns = yield* partOf(surveying(source), 0, 0.25);
  if (columns === null) return null;
  const { heads, width } = placeColumns(columns, section);
  if (width * source.docs > MOST_BYTES) return null;
  const { rows, hashes } = yield* partOf(packing(source, columns, width), 0.25, 0.5);
  const ranks = yield* partOf(ranking(rows, width, source.docs), 0.5, 0.9);
  layOutRows(rows, width, columns, heads);
  const sections = columns.flatMap((column) => column.sections);
  return { heads, sections, width, rows, ranks, hashes };
}

/** A column whose encoding was chosen. */
interface ChosenColumn extends PlacedColumn {
  /** hex, uuid and number */
  readonly form: PackedForm | null;
  /** dictionary: its values by number, the rank of each number and the number of each rank. */
  readonly values: TermTable;
  readonly rankOf: Uint16Array;
  readonly numberOf: Uint16Array;
}

/** Where the parts of a key lie. */
class KeyParts {
  readonly from: Int32Array;
  readonly to: Int32Array;

  constructor(columns: number) {
    this.from = new Int32Array(columns);
    this.to = new Int32Array(columns);
  }

  /** Finds the parts of bytes[begin .. end); false: their number differs, or one has a zero byte. */
  split(bytes: Uint8Array, begin: number, end: number): boolean {
    const last = this.from.length - 1;
    let column = 0;
    let from = begin;
    for (let at = begin; at < end; at++) {
      if (bytes[at] !== 0) continue;
      if (++at === end || bytes[at] !== 1 || column === last) return false;
      this.from[column] = from;
      this.to[column++] = at - 1;
      from = at + 1;
    }
    this.from[column] = from;
    this.to[column] = end;
    return column === last;
  }
}

function* surveying(source: KeySource): Steps<readonly ChosenColumn[] | null> {
  const { docs } = source;
  const step = Math.max(1, Math.floor(docs / SAMPLE));
  let surveys: readonly ColumnSurvey[] | null = null;
  let parts = new KeyParts(1);
  let possible = docs > 0;
  let doc = 0;
  for (const walk of possible ? source.walks : []) {
    walk((bytes, from, to) => {
      if (!possible) return;
      if (surveys === null) {
        const columns = partsOf(bytes, from, to);
        possible = columns <= MOST_COLUMNS;
        parts = new KeyParts(columns);
        surveys = Array.from({ length: columns }, () => new ColumnSurvey());
      }
      possible &&= parts.split(bytes, from, to);
      const isSampled = doc++ % step === 0;
      for (let i = 0; possible && i < surveys.length; i++) {
        possible = surveys[i].add(bytes, parts.from[i], parts.to[i], isSampled);
      }
    });
    if (!possible) return null;
    yield doc / docs;
  }
  const chosen = (surveys ?? []).map((survey: ColumnSurvey) => survey.choose(docs));
  return chosen.length > 0 && chosen.every((column) => column !== null) ? chosen : null;
}

/** What is known of a column while its values are walked. */
class ColumnSurvey {
  readonly #values = new TermTable();
  readonly #sample = new TermTable();
  #sampled = 0;
  #form: PackedForm | null | undefined;
  #scratch = new Uint8Array(0);
  #isInteger = true;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;
  #isNumber = true;

  /** Adds the next value; false: the column has none of the encodings. */
  add(bytes: Uint8Array, from: number, to: number, isSampled: boolean): boolean {
    this.#isInteger &&= !Number.isNaN(parseInteger(bytes, from, to));
    if (this.#isNumber) this.#addNumber(parseNumber(bytes, from, to));
    this.#form = this.#form === undefined ? formOf(to - from) : this.#form;
    if (this.#form !== null && !this.#packs(this.#form, bytes, from, to)) this.#form = null;
    if (isSampled) {
      this.#sampled++;
      this.#sample.add(bytes, from, to);
    }
    if (this.#values.size <= MOST_VALUES) this.#values.add(bytes, from, to);
    return this.#isNumber || this.#form !== null || this.#values.size <= MOST_VALUES;
  }

  #addNumber(value: number): void {
    this.#isNumber = !Number.isNaN(value);
    if (value < this.#least) this.#least = value;
    if (value > this.#most) this.#most = value;
  }

  /** The encoding of all values; null: it is none of those that rows are made of. */
  choose(docs: number): ChosenColumn | null {
    if (this.#isInteger) return null;
    const form = this.#isNumber ? this.#numberForm() : (this.#form ?? null);
    const values = this.#values;
    const isDictionary =
      isDictionarySample(this.#sample.size, this.#sampled) && values.size <= MOST_VALUES;
    if (isDictionary) {
      const dictionary = dictionaryOf(values);
      const sections = dictionary.sections.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const bytes = sections + dictionary.width * docs;
      if (form === null || bytes < form.width * docs) return dictionary;
    }
    if (form === null) return null;
    const { kind: encoding, width, base } = form;
    return { ...NO_DICTIONARY, encoding, width, base, form, values };
  }

  #numberForm(): PackedForm {
    const [least, most] = [this.#least, this.#most];
    return { kind: 'number', width: integerWidth(least, most), base: least };
  }

  #packs(form: PackedForm, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#scratch.length < form.width) this.#scratch = new Uint8Array(form.width);
    return packValue(form, bytes, from, to, this.#scratch, 0);
  }
}

const NO_DICTIONARY = Object.freeze({
  sections: Object.freeze([]) as readonly ArrayBufferView[],
  rankOf: new Uint16Array(0),
  numberOf: new Uint16Array(0),
});

/** The form that values of so many characters may have; null: none. */
function formOf(chars: number): PackedForm | null {
  if (chars === UUID_CHARS) return { kind: 'uuid', width: UUID_BYTES, base: 0 };
  return chars > 0 && chars % 2 === 0 ? { kind: 'hex', width: chars / 2, base: 0 } : null;
}

function dictionaryOf(values: TermTable): ChosenColumn {
  const { size, starts, pool } = values;
  const numberOf = Uint16Array.from(termOrder(values));
  const rankOf = new Uint16Array(size);
  for (let rank = 0; rank < size; rank++) rankOf[numberOf[rank]] = rank;
  const offsets = Uint32Array.from(starts.subarray(0, size + 1));
  return {
    ...{ encoding: 'dictionary', width: dictionaryWidth(size), base: 0, form: null },
    sections: [offsets, pool.subarray(0, starts[size])],
    ...{ values, rankOf, numberOf },
  };
}

function* packing(source: KeySource, columns: readonly ChosenColumn[], width: number) {
  const rows = new Uint8Array(source.docs * width);
  const hashes = new Uint32Array(source.docs);
  const parts = new KeyParts(columns.length);
  let doc = 0;
  let at = 0;
  for (const walk of source.walks) {
    walk((bytes, from, to) => {
      hashes[doc++] = hashBytes(bytes, from, to);
      parts.split(bytes, from, to);
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i];
        const { form } = column;
        if (form === null) putRank(column, bytes, parts.from[i], parts.to[i], rows, at);
        else packValue(form, bytes, parts.from[i], parts.to[i], rows, at);
        at += column.width;
      }
    });
    yield doc / source.docs;
  }
  return { rows, hashes };
}

/** Writes the rank of a dictionary value, the high byte first. */
function putRank(
  { values, rankOf, width }: ChosenColumn,
  bytes: Uint8Array,
  from: number,
  to: number,
  rows: Uint8Array,
  at: number,
): void {
  if (width === 0) return;
  const rank = rankOf[values.add(bytes, from, to)];
  if (width === 2) rows[at] = rank >>> 8;
  rows[at + width - 1] = rank;
}

function* ranking(rows: Uint8Array, width: number, docs: number): Steps<Int32Array> {
  const order = new Int32Array(docs);
  const offsets = new Int32Array(docs + 1);
  for (let doc = 0; doc < docs; doc++) {
    order[doc] = doc;
    offsets[doc + 1] = (doc + 1) * width;
  }
  yield* sortingByteStrings(order, rows, offsets);
  const ranks = offsets.subarray(0, docs);
  for (let rank = 0; rank < docs; rank++) ranks[order[rank]] = rank;
  return ranks;
}

/** Changes rows that sort like their keys to the layout of the heads, with dictionary numbers. */
function layOutRows(
  rows: Uint8Array,
  width: number,
  columns: readonly ChosenColumn[],
  heads: readonly ColumnHead[],
): void {
  const row = new Uint8Array(width);
  for (let begin = 0; begin + width <= rows.length && width > 0; begin += width) {
    for (let i = 0; i < width; i++) row[i] = rows[begin + i];
    let from = 0;
    for (let c = 0; c < columns.length; c++) {
      const { form, width: own, numberOf } = columns[c];
      const to = begin + heads[c].offset;
      if (form !== null) for (let i = 0; i < own; i++) rows[to + i] = row[from + i];
      else if (own > 0) {
        const number = numberOf[own === 2 ? (row[from] << 8) | row[from + 1] : row[from]];
        for (let i = 0; i < own; i++) rows[to + i] = number >>> (8 * i);
      }
      from += own;
    }
  }
}
