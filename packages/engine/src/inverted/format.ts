/**
 * The inverted component of one field: terms, postings, positions, exact lengths, impacts.
 * Little-endian; sections begin at multiples of 16 bytes from the start of the component. Documents
 * stand in ranges of 256. docs/format-inverted.md tells it at length.
 *
 *   header      i32[32]: version, documents N, documents with the field, terms, flags, long
 *               documents, dictionary blocks, big terms, tokens (f64 at word 8); from word 12 on
 *               two words a section: offset, bytes
 *   impacts        f64[256]: impacts by code, rising; code 0 = no posting
 *   codes       u8[N]: 0..239 the exact length; 240 + k: 240 or more with bits(length - 1) = 8 + k
 *   longDoc     i32[]: the documents with codes from 240
 *   longLength  i32[]: their exact lengths
 *   widthCodes     u8[N]: as codes, of the last position + 1; only where some width is not the
 *               length's
 *   blocks      i32[5] for 16 terms: first 8 bytes of the first term as two words, high first;
 *               offsets in dictionary and small; number of the first big term
 *   records     i32[10] for a big term (128 documents or more)
 *   dictionary  a term: shared u8, suffix u8, suffix bytes, varint df, varint bytes in small if
 *               df < 128; longer terms: 255, 255, varint shared, varint suffix
 *   small       postings of terms below 128 documents
 *   big         postings of the others; those of text terms end with their best documents
 *
 * postings/format.ts has the layout of postings, and of records.
 */
import { bitsOf } from '../postings/format.ts';

export const INVERTED_VERSION = 1;
export const HEADER_WORDS = 32;
/** Terms of a dictionary block. */
export const DICTIONARY_BLOCK = 16;
/** Words of a block's index entry. */
export const BLOCK_WORDS = 5;
/** From this length on codes tell only the width; exact lengths stand apart. */
export const LONG = 240;
/** BM25 (Robertson and Zaragoza 2009): k1 and b. */
export const K1 = 1.2;
export const B = 0.75;

/** Header flags. */
export const HAS_TEXT = 1;
export const HAS_WIDTH_CODES = 2;
/** Terms have their best documents (postings/best-docs.ts). */
export const HAS_BEST_DOCS = 4;

/** Sections in the order of the header. */
export const INVERTED_SECTIONS = [
  'impacts',
  'codes',
  'longDoc',
  'longLength',
  'widthCodes',
  'blocks',
  'records',
  'dictionary',
  'small',
  'big',
] as const;
export type Section = (typeof INVERTED_SECTIONS)[number];
/**
 * Sections in the order of a file: what finds terms comes first, so that a reader by location gets
 * it with the opening of a bundle. Files of former versions are in the order of the header.
 */
export const SECTIONS_OF_FILE: readonly Section[] = [
  'impacts',
  'blocks',
  'records',
  'codes',
  'longDoc',
  'longLength',
  'widthCodes',
  'dictionary',
  'small',
  'big',
];
/** Byte address and length of each section. */
export type InvertedSections = Readonly<
  Record<Section, { readonly at: number; readonly bytes: number }>
>;
export const FIRST_SECTION_WORD = 12;

/** The code of a length: itself, or its width from 240 on. */
export const lengthCode = (length: number): number =>
  length < LONG ? length : LONG + bitsOf(length - 1) - 8;

/** Bits of a position in a document with this code. */
export const codeWidth = (code: number): number =>
  code < LONG ? (code === 0 ? 0 : bitsOf(code - 1)) : code - LONG + 8;

/** The smallest length with this code: exact below 240. */
export const codeLength = (code: number): number =>
  code <= LONG ? code : 2 ** (code - LONG + 7) + 1;

/** The length part of BM25's denominator. */
export const normOf = (length: number, averageLength: number): number =>
  K1 * (1 - B + (B * length) / averageLength);
