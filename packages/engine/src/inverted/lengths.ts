import { bitsOf } from '../postings/format.ts';
import { codeLength, codeWidth, LONG, lengthCode, normOf } from './format.ts';

/** Lengths of the documents of a segment on their way to disk: what encoding needs of them. */
export interface EncodedLengths {
  readonly codes: Uint8Array;
  /**
   * Codes of the widths of positions; the same array as `codes` where every width is the length's.
   */
  readonly widthCodes: Uint8Array;
  readonly longDoc: Int32Array;
  readonly longLength: Int32Array;
  readonly docsWithField: number;
  readonly tokens: number;
  /** Tokens of a document with the field. */
  readonly average: number;
  /** The exact norm of a document. */
  readonly normOf: (doc: number) => number;
  /** Bits of a position by document. */
  readonly widths: Uint8Array;
}

/** Encodes exact lengths (tokens) and ends of positions (last position + 1) of all documents. */
export function encodeLengths(lengths: Int32Array, positionEnds: Int32Array): EncodedLengths {
  const docs = lengths.length;
  const codes = new Uint8Array(docs);
  const widths = new Uint8Array(docs);
  const longDocs: number[] = [];
  let docsWithField = 0;
  let tokens = 0;
  let apart = false;
  for (let doc = 0; doc < docs; doc++) {
    const length = lengths[doc];
    if (length > 0) docsWithField++;
    tokens += length;
    codes[doc] = lengthCode(length);
    if (length >= LONG) longDocs.push(doc);
    widths[doc] = positionEnds[doc] === 0 ? 0 : bitsOf(positionEnds[doc] - 1);
    if (widths[doc] !== codeWidth(codes[doc])) apart = true;
  }
  const average = docsWithField === 0 ? 1 : tokens / docsWithField;
  return {
    codes,
    widthCodes: apart ? widths.map(widthCode) : codes,
    longDoc: Int32Array.from(longDocs),
    longLength: Int32Array.from(longDocs, (doc) => lengths[doc]),
    docsWithField,
    tokens,
    average,
    normOf: exactNorms(codes, lengths, average),
    widths,
  };
}

/** Norms by document: most are found by their codes, which take few lines of memory. */
function exactNorms(codes: Uint8Array, lengths: Int32Array, average: number) {
  const norms = normsByCode(average);
  return (doc: number): number => {
    const code = codes[doc];
    return code < LONG ? norms[code] : normOf(lengths[doc], average);
  };
}

/** A code with this width. */
function widthCode(width: number): number {
  if (width === 0) return 1;
  return width <= 7 ? 2 ** (width - 1) + 1 : LONG + width - 8;
}

/** Norms by length code; from 240 on they are lower bounds. */
export function normsByCode(averageLength: number): Float64Array {
  return Float64Array.from({ length: 256 }, (_, code) => normOf(codeLength(code), averageLength));
}
