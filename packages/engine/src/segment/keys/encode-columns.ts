import { ByteSink } from '../../base/arrays/growing.ts';
import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import { ByteListWriter } from '../../columnar/byte-list.ts';
import { type ColumnHead, type KeyEncoding, MOST_COLUMNS } from './key-columns.ts';
import { ExceptionsWriter } from './key-exceptions.ts';
import type { FlatKeys } from './key-order.ts';
import {
  integerWidth,
  type PackedForm,
  packValue,
  parseInteger,
  parseNumber,
  UUID_BYTES,
  UUID_CHARS,
} from './key-values.ts';

/** The texts of one key column: that of document d is bytes[from[d] .. to[d]). */
export interface ColumnTexts {
  readonly bytes: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** A column's encoding and, for `dictionary` and `text`, its own sections. */
export interface PlacedColumn {
  readonly encoding: KeyEncoding;
  readonly width: number;
  readonly base: number;
  readonly sections: readonly ArrayBufferView[];
}

/** A column that can write its rows. */
export interface EncodedColumn extends PlacedColumn {
  /** Writes the packed bytes of a document to out[at ..]. */
  readonly pack: (doc: number, out: Uint8Array, at: number) => void;
}

/** Keys by column; one column where they do not all have the same number of parts. */
export function splitKeys({ bytes, offsets }: FlatKeys): readonly ColumnTexts[] {
  const docs = offsets.length - 1;
  const whole = [{ bytes, from: offsets.subarray(0, docs), to: offsets.subarray(1) }];
  const columns = docs === 0 ? 1 : partsOf(bytes, offsets[0], offsets[1]);
  if (columns < 2 || columns > MOST_COLUMNS) return whole;
  const texts = Array.from({ length: columns }, () => ({
    bytes,
    from: new Int32Array(docs),
    to: new Int32Array(docs),
  }));
  for (let doc = 0; doc < docs; doc++) {
    const end = offsets[doc + 1];
    let column = 0;
    let from = offsets[doc];
    for (let at = from; at + 1 < end; at++) {
      if (bytes[at] !== 0 || bytes[++at] !== 1) continue;
      if (column === columns - 1) return whole;
      texts[column].from[doc] = from;
      texts[column++].to[doc] = at - 1;
      from = at + 1;
    }
    if (column !== columns - 1) return whole;
    texts[column].from[doc] = from;
    texts[column].to[doc] = end;
  }
  return texts;
}

/** Parts of the key bytes[from .. to). */
export function partsOf(bytes: Uint8Array, from: number, to: number): number {
  let parts = 1;
  for (let at = from; at + 1 < to; at++) if (bytes[at] === 0 && bytes[++at] === 1) parts++;
  return parts;
}

/** The smallest encoding of a column; text where no other is possible. */
export function encodeColumn(texts: ColumnTexts): EncodedColumn {
  const packed = packedColumn(texts);
  const dictionary = dictionaryColumn(texts);
  const docs = texts.from.length;
  const packedBytes = packed === null ? Number.POSITIVE_INFINITY : packed.width * docs;
  if (dictionary !== null && bytesOf(dictionary, docs) < packedBytes) return dictionary;
  return packed ?? exceptionalColumn(texts) ?? textColumn(texts);
}

const bytesOf = ({ width, sections }: EncodedColumn, docs: number): number =>
  sections.reduce((sum, { byteLength }) => sum + byteLength, width * docs);

function packedColumn(texts: ColumnTexts): EncodedColumn | null {
  const { bytes, from, to } = texts;
  const form = packedForm(texts);
  if (form === null) return null;
  return {
    encoding: form.kind,
    width: form.width,
    base: form.base,
    sections: [],
    pack: (doc, out, at) => packValue(form, bytes, from[doc], to[doc], out, at),
  };
}

/** Part of the documents that may be exceptions of a form. */
const MAX_EXCEPTIONS = 0.25;

/** A packed column with exceptions; null where it takes no less than the texts. */
function exceptionalColumn(texts: ColumnTexts): EncodedColumn | null {
  const { bytes, from, to } = texts;
  const docs = from.length;
  const form = commonForm(texts);
  if (form === null) return null;
  const exceptions = new ExceptionsWriter();
  const scratch = new Uint8Array(form.width);
  const most = MAX_EXCEPTIONS * docs;
  let count = 0;
  for (let doc = 0; doc < docs; doc++) {
    if (packValue(form, bytes, from[doc], to[doc], scratch, 0)) continue;
    if (++count > most) return null;
    exceptions.add(doc, bytes, from[doc], to[doc]);
  }
  const column: EncodedColumn = {
    encoding: form.kind,
    width: form.width,
    base: form.base,
    sections: exceptions.finish(),
    pack: (doc, out, at) => {
      if (!packValue(form, bytes, from[doc], to[doc], out, at)) out.fill(0, at, at + form.width);
    },
  };
  return bytesOf(column, docs) < bytesOf(textColumn(texts), docs) ? column : null;
}

/** The form that most texts have, seen from their lengths and digits; null: there is none. */
function commonForm(texts: ColumnTexts): PackedForm | null {
  const { from, to } = texts;
  const least = (1 - MAX_EXCEPTIONS) * from.length;
  for (const kind of ['number', 'integer'] as const) {
    const { form, count } = wholeValues(texts, kind);
    if (count > 0 && count >= least) return form;
  }
  const byLength = new Map<number, number>();
  for (let doc = 0; doc < from.length; doc++) {
    const chars = to[doc] - from[doc];
    byLength.set(chars, (byLength.get(chars) ?? 0) + 1);
  }
  const [chars = 0] = [...byLength].find(([, count]) => count >= least) ?? [];
  if (chars === UUID_CHARS) return { kind: 'uuid', width: UUID_BYTES, base: 0 };
  return chars > 0 && chars % 2 === 0 ? { kind: 'hex', width: chars / 2, base: 0 } : null;
}

/** The narrowest form that all texts have. */
function packedForm(texts: ColumnTexts): PackedForm | null {
  const { from, to } = texts;
  if (from.length === 0) return null;
  const number = wholeForm(texts, 'number');
  if (number !== null) return number;
  const integer = wholeForm(texts, 'integer');
  const chars = to[0] - from[0];
  const hex = chars > 0 && chars % 2 === 0 ? { kind: 'hex' as const, width: chars / 2 } : null;
  const uuid = chars === UUID_CHARS ? { kind: 'uuid' as const, width: UUID_BYTES } : null;
  const other = uuid ?? hex;
  if (other !== null && (integer === null || other.width < integer.width)) {
    const form = { ...other, base: 0 };
    if (allHave(texts, form)) return form;
  }
  return integer;
}

function allHave({ bytes, from, to }: ColumnTexts, form: PackedForm): boolean {
  const scratch = new Uint8Array(form.width);
  for (let doc = 0; doc < from.length; doc++) {
    if (!packValue(form, bytes, from[doc], to[doc], scratch, 0)) return false;
  }
  return true;
}

/** The form of a column whose values are all whole numbers. */
function wholeForm(texts: ColumnTexts, kind: 'integer' | 'number'): PackedForm | null {
  const { form, count } = wholeValues(texts, kind, 0);
  return count === texts.from.length ? form : null;
}

/**
 * The number of values that are whole numbers, and their form; once more than `others` are none,
 * the rest is not counted.
 */
function wholeValues(
  { bytes, from, to }: ColumnTexts,
  kind: 'integer' | 'number',
  others = MAX_EXCEPTIONS * from.length,
): { readonly form: PackedForm; readonly count: number } {
  const parse = kind === 'integer' ? parseInteger : parseNumber;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (let doc = 0; doc < from.length && doc - count <= others; doc++) {
    const value = parse(bytes, from[doc], to[doc]);
    if (Number.isNaN(value)) continue;
    count++;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { form: { kind, width: integerWidth(least, most), base: least }, count };
}

/** Documents that are sampled, and the largest part of them that may have values of their own. */
export const SAMPLE = 1024;
const MOST_DISTINCT_PART = 0.5;
/** Values of a dictionary. */
export const MOST_VALUES = 65_536;

/** Whether a column may be a dictionary: `distinct` values were found in `seen` documents. */
export const isDictionarySample = (distinct: number, seen: number): boolean =>
  seen > 0 && distinct <= Math.max(1, MOST_DISTINCT_PART * seen);

/** Bytes of the numbers of a dictionary. */
export function dictionaryWidth(values: number): number {
  if (values === 1) return 0;
  return values <= 256 ? 1 : 2;
}

function dictionaryColumn(texts: ColumnTexts): EncodedColumn | null {
  const docs = texts.from.length;
  const step = Math.max(1, Math.floor(docs / SAMPLE));
  const sample = new ValueNumbers(texts);
  let seen = 0;
  for (let doc = 0; doc < docs; doc += step, seen++) sample.number(doc);
  if (!isDictionarySample(sample.count, seen)) return null;
  const values = new ValueNumbers(texts);
  const numbers = new Uint16Array(docs);
  for (let doc = 0; doc < docs; doc++) {
    const number = values.number(doc);
    if (number === MOST_VALUES) return null;
    numbers[doc] = number;
  }
  const width = dictionaryWidth(values.count);
  const pack = (doc: number, out: Uint8Array, at: number) => {
    for (let i = 0; i < width; i++) out[at + i] = numbers[doc] >>> (8 * i);
  };
  return { encoding: 'dictionary', width, base: 0, sections: values.sections(), pack };
}

/** Numbers of distinct values, in the order in which they are first met: an open hash table. */
class ValueNumbers {
  readonly #texts: ColumnTexts;
  /** Number + 1 of the value in each slot; 0: free. */
  #slots = new Int32Array(64);
  /** The first document of each value. */
  #firsts: number[] = [];

  constructor(texts: ColumnTexts) {
    this.#texts = texts;
  }

  get count(): number {
    return this.#firsts.length;
  }

  /** The number of a document's value. */
  number(doc: number): number {
    const slot = this.#slotOf(doc);
    if (this.#slots[slot] > 0) return this.#slots[slot] - 1;
    this.#firsts.push(doc);
    this.#slots[slot] = this.#firsts.length;
    if (2 * this.#firsts.length > this.#slots.length) this.#grow();
    return this.#firsts.length - 1;
  }

  /** Offsets and bytes of the values. */
  sections(): [Uint32Array, Uint8Array] {
    const { bytes, from, to } = this.#texts;
    const sink = new ByteSink();
    const offsets = new Uint32Array(this.#firsts.length + 1);
    this.#firsts.forEach((doc, i) => {
      sink.append(bytes, from[doc], to[doc]);
      offsets[i + 1] = sink.length;
    });
    return [offsets, sink.view()];
  }

  #slotOf(doc: number): number {
    const { bytes, from, to } = this.#texts;
    const mask = this.#slots.length - 1;
    let slot = hashBytes(bytes, from[doc], to[doc]) & mask;
    while (this.#slots[slot] > 0 && !this.#same(this.#firsts[this.#slots[slot] - 1], doc)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #same(a: number, b: number): boolean {
    const { bytes, from, to } = this.#texts;
    const length = to[a] - from[a];
    if (to[b] - from[b] !== length) return false;
    for (let i = 0; i < length; i++) if (bytes[from[a] + i] !== bytes[from[b] + i]) return false;
    return true;
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    this.#firsts.forEach((doc, i) => {
      this.#slots[this.#slotOf(doc)] = i + 1;
    });
  }
}

function textColumn({ bytes, from, to }: ColumnTexts): EncodedColumn {
  const list = new ByteListWriter();
  for (let doc = 0; doc < from.length; doc++) list.add(bytes, from[doc], to[doc]);
  return { encoding: 'text', width: 0, base: 0, sections: list.finish(), pack: () => {} };
}

/** The columns with their places in a row. `section`: number of the first own one. */
export function placeColumns(
  columns: readonly PlacedColumn[],
  section: number,
): { readonly heads: readonly ColumnHead[]; readonly width: number } {
  const isDictionary = ({ encoding }: PlacedColumn) => encoding === 'dictionary';
  const order = [...columns.filter(isDictionary), ...columns.filter((c) => !isDictionary(c))];
  const offsets = new Map<PlacedColumn, number>();
  let width = 0;
  for (const column of order) {
    offsets.set(column, width);
    width += column.width;
  }
  let own = section;
  const heads = columns.map((column) => {
    const { encoding, base, sections } = column;
    const head = { encoding, offset: offsets.get(column)!, width: column.width, base };
    own += sections.length;
    return { ...head, section: sections.length === 0 ? 0 : own - sections.length };
  });
  return { heads, width };
}

/** As `placeColumns`, and the rows of all documents. */
export function packColumns(
  columns: readonly EncodedColumn[],
  docs: number,
  section: number,
): { readonly heads: readonly ColumnHead[]; readonly width: number; readonly rows: Uint8Array } {
  const { heads, width } = placeColumns(columns, section);
  const rows = new Uint8Array(docs * width);
  for (const [i, { pack }] of columns.entries()) {
    const { offset } = heads[i];
    if (heads[i].width === 0) continue;
    for (let doc = 0; doc < docs; doc++) pack(doc, rows, doc * width + offset);
  }
  return { heads, width, rows };
}
