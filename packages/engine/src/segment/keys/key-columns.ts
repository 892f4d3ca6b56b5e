/**
 * The columns of a segment's keys, each in its own encoding. Sections of a `keys` component:
 *
 *   columns  32 bytes per key column: i32 encoding (0 text, 1 dictionary, 2 hex, 3 uuid,
 *            4 integer, 5 number) | i32 offset of its bytes in a row | i32 width of its bytes |
 *            i32 number of the first of its two own sections, 0 without | i64 base | zero
 *   rows     u8[docs x row width]: the packed columns of each document side by side, dictionaries
 *            before the others
 *
 * - text: no bytes in the row; its own sections are a front-coded list (columnar/byte-list.ts) in
 *   document order
 * - dictionary: 0, 1 or 2 bytes, a number; its own sections are u32[n + 1] offsets and the values
 *   in the order of their first documents
 * - hex: texts of one even length in lower case, two digits per byte
 * - uuid: texts `8-4-4-4-12` in lower case, 16 bytes
 * - integer: decimal texts without leading zeros below 10^15; value - base, little-endian
 * - number: integers below 10^15 in sorting form (keys/key-number.ts); value - base, big-endian,
 *   so that rows sort as their numbers
 *
 * A column of the last four encodings may have exceptions, values that do not have its form
 * (key-exceptions.ts): they are its own sections.
 *
 * Columns are the parts of an encoded key (keys/key.ts) between its separators 00 01; text and
 * dictionary values keep their escapes. Keys that do not all have the same number of parts are one
 * text column, separators included.
 */
import type { PackedForm } from './key-values.ts';

export const COLUMN_BYTES = 32;
/** Encodings by their numbers on disk. */
export const ENCODINGS = ['text', 'dictionary', 'hex', 'uuid', 'integer', 'number'] as const;
export type KeyEncoding = (typeof ENCODINGS)[number];

/** Keys of more columns than this are one text column. */
export const MOST_COLUMNS = 16;

/** A column as the component describes it. */
export interface ColumnHead {
  readonly encoding: KeyEncoding;
  readonly offset: number;
  readonly width: number;
  /** Number of the first of its two own sections; 0: it has none. */
  readonly section: number;
  readonly base: number;
}

/** Returns whether a column is stored in separate sections. */
export const hasSections = ({ encoding, section }: ColumnHead): boolean =>
  encoding === 'text' || encoding === 'dictionary' || section !== 0;

/** The packed form of a column that is neither text nor dictionary. */
export const formOf = ({ encoding, width, base }: ColumnHead): PackedForm => ({
  kind: encoding as PackedForm['kind'],
  width,
  base,
});

/** The section `columns`. */
export function packHeads(heads: readonly ColumnHead[]): Uint8Array {
  const bytes = new Uint8Array(COLUMN_BYTES * heads.length);
  const view = new DataView(bytes.buffer);
  heads.forEach(({ encoding, offset, width, section, base }, i) => {
    const at = COLUMN_BYTES * i;
    [ENCODINGS.indexOf(encoding), offset, width, section].forEach((value, k) => {
      view.setInt32(at + 4 * k, value, true);
    });
    view.setBigInt64(at + 16, BigInt(base), true);
  });
  return bytes;
}

/** The columns of a section `columns`, or null where it describes none that exist. */
export function readHeads(view: DataView, rowWidth: number): readonly ColumnHead[] | null {
  const heads: ColumnHead[] = [];
  for (let at = 0; at < view.byteLength; at += COLUMN_BYTES) {
    const [number, offset, width, section] = [0, 4, 8, 12].map((k) => view.getInt32(at + k, true));
    const encoding = ENCODINGS[number];
    if (encoding === undefined || offset < 0 || width < 0 || offset + width > rowWidth) return null;
    const base = Number(view.getBigInt64(at + 16, true));
    heads.push({ encoding, offset, width, section, base });
  }
  return heads.length === 0 ? null : heads;
}
