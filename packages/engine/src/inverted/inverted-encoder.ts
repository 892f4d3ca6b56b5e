/**
 * From terms in byte order with their postings to the component's bytes:
 *   1. `term` chooses the kind by document frequency and writes postings, dictionary entry and
 *      record
 *   2. `finish` chooses the impacts that get codes, patches the codes in, and lays the sections out
 *      (format.ts)
 */
import { BitOutput } from '../postings/bit-output.ts';
import { encodeBig, encodeScratch } from '../postings/encode-big.ts';
import type { EncodeContext } from '../postings/encode-dense.ts';
import { DENSE_SHARE, LIST_BLOCK, RANGE, RECORD_WORDS } from '../postings/format.ts';
import { ImpactCodes } from '../postings/impact-codes.ts';
import type { TermPostings } from '../postings/postings-buffer.ts';
import { encodeShort } from '../postings/short-terms.ts';
import { DictionaryWriter, isShort } from './dictionary-writer.ts';
import {
  FIRST_SECTION_WORD,
  HAS_TEXT,
  HAS_WIDTH_CODES,
  HEADER_WORDS,
  INVERTED_SECTIONS,
  INVERTED_VERSION,
  type Section,
} from './format.ts';
import { type EncodedLengths, encodeLengths } from './lengths.ts';

/** Unpackers and kernels may read past the end of the last structure. */
const SLACK = 1024;

/** Encodes one field of one segment. */
export class InvertedEncoder {
  readonly #docs: number;
  readonly #text: boolean;
  readonly #lengths: EncodedLengths;
  readonly #denseFrom: number;
  readonly #dictionary = new DictionaryWriter();
  readonly #small = new BitOutput(1 << 12);
  readonly #big = new BitOutput(1 << 14);
  readonly #impacts = new ImpactCodes();
  readonly #records: number[] = [];
  readonly #scratch = encodeScratch();

  /**
   * `lengths`, `positionEnds` by document: tokens, and last position + 1. In a keyword field they
   * are 1 where the document has a value.
   */
  constructor(docs: number, text: boolean, lengths: Int32Array, positionEnds: Int32Array) {
    this.#docs = docs;
    this.#text = text;
    this.#lengths = encodeLengths(lengths, positionEnds);
    this.#denseFrom = Math.max(LIST_BLOCK, Math.ceil(docs / DENSE_SHARE));
  }

  /** The next term in byte order: bytes[from .. to) and its postings, at least one. */
  term(bytes: Uint8Array, from: number, to: number, postings: TermPostings): void {
    const { df } = postings;
    const big = this.#records.length / RECORD_WORDS;
    this.#dictionary.add(bytes, from, to, df, this.#small.length, big);
    if (isShort(df)) {
      const begin = this.#small.length;
      const { widths } = this.#lengths;
      encodeShort(postings, { output: this.#small, widths }, this.#text);
      this.#dictionary.smallBytes(this.#small.length - begin);
      return;
    }
    const record = encodeBig(postings, this.#context(postings), df >= this.#denseFrom);
    for (const word of record) this.#records.push(word);
  }

  #context(postings: TermPostings): EncodeContext {
    const { norms, widths } = this.#lengths;
    const { docs, frequencies } = postings;
    return {
      docs: this.#docs,
      ranges: Math.ceil(this.#docs / RANGE),
      output: this.#big,
      impacts: this.#impacts,
      ...this.#scratch,
      widths,
      text: this.#text,
      impact: (i) => frequencies[i] / (frequencies[i] + norms[docs[i]]),
    };
  }

  /** The component's bytes, in parts. */
  finish(): Uint8Array[] {
    const lengths = this.#lengths;
    const apart = lengths.widthCodes !== lengths.codes;
    this.#dictionary.output.room(SLACK);
    this.#small.room(SLACK);
    this.#big.room(SLACK);
    const impacts = this.#impacts.write(this.#big.u8);
    const none = new Uint8Array(0);
    const sections: Record<Section, ArrayBufferView> = {
      impacts,
      codes: this.#text ? lengths.codes : none,
      longDoc: this.#text ? lengths.longDoc : none,
      longLength: this.#text ? lengths.longLength : none,
      widthCodes: this.#text && apart ? lengths.widthCodes : none,
      blocks: Int32Array.from(this.#dictionary.blocks),
      records: Int32Array.from(this.#records),
      dictionary: tail(this.#dictionary.output, 16),
      small: tail(this.#small, 16),
      big: tail(this.#big, SLACK),
    };
    return layOut(this.#header(apart), sections);
  }

  #header(apart: boolean): Int32Array {
    const header = new Int32Array(HEADER_WORDS);
    const { docsWithField, longDoc, tokens } = this.#lengths;
    const flags = (this.#text ? HAS_TEXT : 0) | (this.#text && apart ? HAS_WIDTH_CODES : 0);
    const terms = this.#dictionary.terms;
    const blocks = this.#dictionary.blocks.length / 5;
    const big = this.#records.length / RECORD_WORDS;
    header.set([
      INVERTED_VERSION,
      this.#docs,
      docsWithField,
      terms,
      flags,
      this.#text ? longDoc.length : 0,
      blocks,
      big,
    ]);
    new Float64Array(header.buffer, 32, 1)[0] = tokens;
    return header;
  }
}

/** What was written, and `slack` zero bytes more. */
function tail(output: BitOutput, slack: number): Uint8Array {
  output.u8.fill(0, output.length, output.length + slack);
  return output.u8.subarray(0, output.length + slack);
}

function layOut(header: Int32Array, sections: Record<Section, ArrayBufferView>): Uint8Array[] {
  const parts: Uint8Array[] = [new Uint8Array(header.buffer)];
  let offset = HEADER_WORDS * 4;
  INVERTED_SECTIONS.forEach((name, i) => {
    const { buffer, byteOffset, byteLength } = sections[name];
    header[FIRST_SECTION_WORD + 2 * i] = offset;
    header[FIRST_SECTION_WORD + 2 * i + 1] = byteLength;
    const padding = -byteLength & 15;
    parts.push(new Uint8Array(buffer, byteOffset, byteLength), new Uint8Array(padding));
    offset += byteLength + padding;
  });
  return parts;
}
