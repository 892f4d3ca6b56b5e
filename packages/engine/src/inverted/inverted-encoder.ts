/**
 * From terms in byte order with their postings to the component's bytes:
 *   1. `term` chooses the kind by document frequency and writes postings, dictionary entry and
 *      record
 *   2. `finish` chooses the impacts that get codes, patches the codes in, and lays the sections out
 *      (format.ts)
 */
import { encodeBig, encodeScratch } from '../postings/encode-big.ts';
import type { EncodeContext } from '../postings/encode-dense.ts';
import { DENSE_SHARE, LIST, LIST_BLOCK, RANGE, RECORD, RECORD_WORDS } from '../postings/format.ts';
import { ImpactCodes } from '../postings/impact-codes.ts';
import type { TermPostings } from '../postings/postings-buffer.ts';
import { encodeShort } from '../postings/short-terms.ts';
import type { FilePart, Spill } from '../storage/spill.ts';
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
import { SpilledOutput } from './spilled-output.ts';

/** Unpackers and kernels may read past the end of the last structure. */
const SLACK = 1024;
/** Postings of so many bytes are written aside where that is possible. */
const SPILL_BYTES = 16 * 2 ** 20;

/** Where an encoder may write what memory should not hold. */
export interface EncoderSpills {
  /** A place for the postings of short and of other terms. */
  readonly open: (what: 'small' | 'big') => Spill;
  /** Default: 16 MiB. */
  readonly fromBytes?: number;
}

/** Encodes one field of one segment. */
export class InvertedEncoder {
  readonly #docs: number;
  readonly #text: boolean;
  readonly #lengths: EncodedLengths;
  readonly #denseFrom: number;
  readonly #dictionary = new DictionaryWriter();
  readonly #small: SpilledOutput;
  readonly #big: SpilledOutput;
  readonly #impacts = new ImpactCodes();
  readonly #records: number[] = [];
  readonly #scratch = encodeScratch();

  /**
   * `lengths`, `positionEnds` by document: tokens, and last position + 1. In a keyword field they
   * are 1 where the document has a value. Without `spills` all of it stays in memory.
   */
  constructor(
    docs: number,
    text: boolean,
    lengths: Int32Array,
    positionEnds: Int32Array,
    spills?: EncoderSpills,
  ) {
    const { fromBytes = SPILL_BYTES } = spills ?? {};
    this.#small = new SpilledOutput(spills?.open('small') ?? null, fromBytes, false);
    this.#big = new SpilledOutput(spills?.open('big') ?? null, fromBytes, true);
    this.#docs = docs;
    this.#text = text;
    this.#lengths = encodeLengths(lengths, positionEnds);
    this.#denseFrom = Math.max(LIST_BLOCK, Math.ceil(docs / DENSE_SHARE));
  }

  /** The next term in byte order: bytes[from .. to) and its postings, at least one. */
  term(bytes: Uint8Array, from: number, to: number, postings: TermPostings): void {
    const { df } = postings;
    const big = this.#records.length / RECORD_WORDS;
    this.#small.beginTerm();
    this.#dictionary.add(bytes, from, to, df, this.#small.length, big);
    if (isShort(df)) {
      const { bits } = this.#small;
      const begin = bits.length;
      const { widths } = this.#lengths;
      encodeShort(postings, { output: bits, widths }, this.#text);
      this.#dictionary.smallBytes(bits.length - begin);
      return;
    }
    this.#big.beginTerm();
    const { base } = this.#big;
    this.#impacts.base = base;
    const record = encodeBig(postings, this.#context(postings), df >= this.#denseFrom);
    if (base > 0) movePlaces(record, base);
    for (const word of record) this.#records.push(word);
  }

  #context(postings: TermPostings): EncodeContext {
    const { normOf, widths } = this.#lengths;
    const { docs, frequencies } = postings;
    return {
      docs: this.#docs,
      ranges: Math.ceil(this.#docs / RANGE),
      output: this.#big.bits,
      impacts: this.#impacts,
      ...this.#scratch,
      widths,
      text: this.#text,
      impact: (i) => frequencies[i] / (frequencies[i] + normOf(docs[i])),
    };
  }

  /** The component's bytes, in parts. */
  finish(): FilePart[] {
    const lengths = this.#lengths;
    const apart = lengths.widthCodes !== lengths.codes;
    this.#dictionary.output.room(SLACK);
    const impacts = this.#impacts.choose();
    const none = new Uint8Array(0);
    const sections: Record<Section, ArrayBufferView | FilePart> = {
      impacts,
      codes: this.#text ? lengths.codes : none,
      longDoc: this.#text ? lengths.longDoc : none,
      longLength: this.#text ? lengths.longLength : none,
      widthCodes: this.#text && apart ? lengths.widthCodes : none,
      blocks: Int32Array.from(this.#dictionary.blocks),
      records: Int32Array.from(this.#records),
      dictionary: tail(this.#dictionary.output, 16),
      small: this.#small.finish(16),
      big: this.#big.finish(SLACK, (piece, from) => this.#impacts.write(piece, from)),
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
function tail(output: DictionaryWriter['output'], slack: number): Uint8Array {
  output.u8.fill(0, output.length, output.length + slack);
  return output.u8.subarray(0, output.length + slack);
}

/** Addresses of a record, which count from the bytes in memory, become those of the section. */
function movePlaces(record: Int32Array, base: number): void {
  record[RECORD.start] += base >> 2;
  record[RECORD.payload] += base;
  if (record[RECORD.kind] === LIST) record[RECORD.positions] += base;
}

function layOut(
  header: Int32Array,
  sections: Record<Section, ArrayBufferView | FilePart>,
): FilePart[] {
  const parts: FilePart[] = [new Uint8Array(header.buffer)];
  let offset = HEADER_WORDS * 4;
  INVERTED_SECTIONS.forEach((name, i) => {
    const part = partOf(sections[name]);
    header[FIRST_SECTION_WORD + 2 * i] = offset;
    header[FIRST_SECTION_WORD + 2 * i + 1] = part.length;
    const padding = -part.length & 15;
    parts.push(part, new Uint8Array(padding));
    offset += part.length + padding;
  });
  return parts;
}

function partOf(section: ArrayBufferView | FilePart): FilePart {
  if (!ArrayBuffer.isView(section)) return section;
  return new Uint8Array(section.buffer, section.byteOffset, section.byteLength);
}
