import { compareBytes } from '../../base/bytes/byte-order.ts';
import { ByteList } from '../../columnar/byte-list.ts';
import { corrupt } from '../../storage/frame.ts';
import type { Sections } from '../../storage/sections.ts';
import { type ColumnHead, formOf } from './key-columns.ts';
import { KeyExceptions } from './key-exceptions.ts';
import { mostChars, packValue, unpackValue } from './key-values.ts';

/** The packed columns of all documents. */
export interface KeyRows {
  readonly bytes: Uint8Array;
  /** Bytes per document. */
  readonly width: number;
}

/** Reads one key column of a segment. */
export interface ColumnReader {
  /** Packed columns are compared as bytes of the row alone; the others by `equals` too. */
  readonly packed: boolean;
  /** Packs source[from .. to) into a row; false: no document has this value. */
  pack(source: Uint8Array, from: number, to: number, row: Uint8Array): boolean;
  /** True if the document's value is source[from .. to). */
  equals(doc: number, source: Uint8Array, from: number, to: number): boolean;
  /** Bytes that the document's value has at most. */
  room(doc: number): number;
  /** Writes the document's value to out[at ..]; returns its end. */
  write(doc: number, out: Uint8Array, at: number): number;
}

/** The reader of a column. Throws corrupt_index. */
export function openColumn(
  head: ColumnHead,
  sections: Sections,
  rows: KeyRows,
  docs: number,
  path: string,
): ColumnReader {
  const { encoding, section } = head;
  if (encoding === 'text') {
    const cold = sections.need === undefined ? null : { section, need: sections.need };
    const [blocks, data] = [sections.i32(section), sections.bytes(section + 1)];
    return textReader(new ByteList(blocks, data, docs, path, cold));
  }
  if (encoding !== 'dictionary') {
    const packed = packedReader(head, rows);
    if (section === 0) return packed;
    return exceptionalReader(head, packed, KeyExceptions.open(sections, section, docs, path));
  }
  const [offsets, values] = [sections.u32(section), sections.bytes(section + 1)];
  const rising = offsets.every((offset, i) => i === 0 || offsets[i - 1] <= offset);
  if (!rising || offsets.at(-1) !== values.length) {
    throw corrupt(path, 'the dictionary of a key column does not fit its values');
  }
  return dictionaryReader(head, rows, offsets, values, path);
}

function packedReader(head: ColumnHead, { bytes, width }: KeyRows): ColumnReader {
  const form = formOf(head);
  const { offset } = head;
  const room = mostChars(form);
  return {
    packed: true,
    pack: (source, from, to, row) => packValue(form, source, from, to, row, offset),
    equals: () => true,
    room: () => room,
    write: (doc, out, at) => unpackValue(form, bytes, doc * width + offset, out, at),
  };
}

/** A packed column some of whose values do not have its form. */
function exceptionalReader(
  { offset, width }: ColumnHead,
  packed: ColumnReader,
  exceptions: KeyExceptions,
): ColumnReader {
  /** The value that is looked for has the form of the column. */
  let isPacked = false;
  return {
    packed: false,
    pack(source, from, to, row) {
      isPacked = packed.pack(source, from, to, row);
      if (!isPacked) row.fill(0, offset, offset + width);
      return true;
    },
    equals(doc, source, from, to) {
      const exception = exceptions.of(doc);
      return exception < 0 ? isPacked : exceptions.equals(exception, source, from, to);
    },
    room(doc) {
      const exception = exceptions.of(doc);
      return exception < 0 ? packed.room(doc) : exceptions.lengthOf(exception);
    },
    write(doc, out, at) {
      const exception = exceptions.of(doc);
      return exception < 0 ? packed.write(doc, out, at) : exceptions.copy(exception, out, at);
    },
  };
}

function dictionaryReader(
  { offset, width }: ColumnHead,
  rows: KeyRows,
  offsets: Uint32Array,
  values: Uint8Array,
  path: string,
): ColumnReader {
  const count = offsets.length - 1;
  const numberOf = (doc: number): number => {
    const at = doc * rows.width + offset;
    const low = width === 0 ? 0 : rows.bytes[at];
    const number = width === 2 ? low | (rows.bytes[at + 1] << 8) : low;
    if (number >= count) throw corrupt(path, `document ${doc} has key value ${number} of ${count}`);
    return number;
  };
  return {
    packed: false,
    pack: () => true,
    equals: (doc, source, from, to) => {
      const number = numberOf(doc);
      return compareBytes(values, offsets[number], offsets[number + 1], source, from, to) === 0;
    },
    room: (doc) => {
      const number = numberOf(doc);
      return offsets[number + 1] - offsets[number];
    },
    write: (doc, out, at) => {
      const number = numberOf(doc);
      const end = offsets[number + 1];
      for (let i = offsets[number]; i < end; i++) out[at++] = values[i];
      return at;
    },
  };
}

function textReader(list: ByteList): ColumnReader {
  return {
    packed: false,
    pack: () => true,
    equals: (doc, source, from, to) => list.equals(doc, source, from, to),
    room: (doc) => list.lengthOf(doc),
    write: (doc, out, at) => list.copy(doc, out, at),
  };
}
