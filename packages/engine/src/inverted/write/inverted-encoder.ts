/**
 * From terms in byte order with their postings to the component's bytes:
 *   1. `term` chooses the kind by document frequency and writes postings, dictionary entry and
 *      record
 *   2. `finish` chooses the impacts that get codes, patches the codes in, and lays the sections out
 *      (format.ts)
 */
import { RECORD_WORDS } from '../../postings/format.ts';
import type { ImpactCodes } from '../../postings/impact-codes.ts';
import type { PostingsBuffer, TermPostings } from '../../postings/postings-buffer.ts';
import type { PostingsKernel } from '../../postings/postings-kernel.ts';
import type { FilePart } from '../../storage/spill.ts';
import { DictionaryWriter, isShort } from '../dictionary-writer.ts';
import {
  FIRST_SECTION_WORD,
  HAS_BEST_DOCS,
  HAS_TEXT,
  HAS_WIDTH_CODES,
  HEADER_WORDS,
  INVERTED_SECTIONS,
  INVERTED_VERSION,
  SECTIONS_OF_FILE,
  type Section,
} from '../format.ts';
import { type EncodedLengths, encodeLengths } from '../lengths.ts';
import { type EncoderOptions, TermEncoder } from './term-encoder.ts';

/** Unpackers and kernels may read past the end of the last structure. */
export const SMALL_SLACK = 16;
export const BIG_SLACK = 1024;

/** Encodes one field of one segment. */
export class InvertedEncoder {
  readonly #docs: number;
  readonly #text: boolean;
  readonly #lengths: EncodedLengths;
  readonly #dictionary = new DictionaryWriter();
  readonly #terms: TermEncoder;

  /**
   * `lengths`, `positionEnds` by document: tokens, and last position + 1. In a keyword field they
   * are 1 where the document has a value.
   */
  constructor(
    docs: number,
    text: boolean,
    lengths: Int32Array,
    positionEnds: Int32Array,
    options?: EncoderOptions,
  ) {
    this.#docs = docs;
    this.#text = text;
    this.#lengths = encodeLengths(lengths, positionEnds);
    this.#terms = new TermEncoder(docs, text, this.#lengths, options);
  }

  /** Bits of a position by document. */
  get widths(): Uint8Array {
    return this.#lengths.widths;
  }

  /** What encodes text postings; null: loops. */
  get kernel(): PostingsKernel | null {
    return this.#terms.kernel;
  }

  /** The next term in byte order: bytes[from .. to) and its postings, at least one. */
  term(bytes: Uint8Array, from: number, to: number, postings: TermPostings): void {
    const { df } = postings;
    const { small, bigTerms } = this.#terms;
    this.#dictionary.add(bytes, from, to, df, small.length, bigTerms);
    const bytesInSmall = this.#terms.encode(postings);
    if (isShort(df)) this.#dictionary.smallBytes(bytesInSmall);
  }

  /**
   * The next terms in byte order: those of the bucket that the kernel has loaded. Term i is
   * pool[starts[ids[i]] .. starts[ids[i] + 1]).
   */
  bucket(pool: Uint8Array, starts: Int32Array, ids: Int32Array, buffer: PostingsBuffer): void {
    const kernel = this.kernel!;
    for (let term = 0; term < ids.length; term++) {
      const { small, bigTerms } = this.#terms;
      let smallAt = small.length;
      const sizes = kernel.shorts(term, small.bits);
      for (let i = 0; i + 1 < sizes.length; i += 2, term++) {
        const id = ids[term];
        this.#dictionary.add(pool, starts[id], starts[id + 1], sizes[i], smallAt, bigTerms);
        this.#dictionary.smallBytes(sizes[i + 1]);
        smallAt += sizes[i + 1];
      }
      if (term === ids.length) return;
      buffer.df = sizes[sizes.length - 1];
      buffer.used = kernel.occurrencesOf(term);
      this.term(pool, starts[ids[term]], starts[ids[term] + 1], buffer);
    }
  }

  /** The component's bytes, in parts. */
  finish(): FilePart[] {
    const { impacts, small, big, records } = this.#terms;
    const chosen = impacts.choose();
    return layOutComponent({
      ...{ docs: this.#docs, text: this.#text, lengths: this.#lengths },
      bestDocs: this.#terms.bestDocs,
      dictionary: this.#dictionary,
      impacts: chosen,
      records: Int32Array.from(records),
      small: small.finish(SMALL_SLACK),
      big: big.finish(BIG_SLACK, patching(impacts)),
    });
  }
}

/** Writes the codes of impacts into the pieces of `big`. */
export const patching = (impacts: ImpactCodes) => (piece: Uint8Array, from: number) =>
  impacts.write(piece, from);

/** What a component is made of. */
export interface ComponentParts {
  readonly docs: number;
  readonly text: boolean;
  /** Whether big terms have their best documents. */
  readonly bestDocs: boolean;
  readonly lengths: EncodedLengths;
  readonly dictionary: DictionaryWriter;
  readonly impacts: Float64Array;
  readonly records: Int32Array;
  readonly small: FilePart;
  readonly big: FilePart;
}

/** The component's bytes, in parts. */
export function layOutComponent(component: ComponentParts): FilePart[] {
  const { text, lengths, dictionary, impacts, records, small, big } = component;
  const apart = lengths.widthCodes !== lengths.codes;
  dictionary.output.room(BIG_SLACK);
  const none = new Uint8Array(0);
  return layOut(headerOf(component, apart), {
    impacts,
    codes: text ? lengths.codes : none,
    longDoc: text ? lengths.longDoc : none,
    longLength: text ? lengths.longLength : none,
    widthCodes: text && apart ? lengths.widthCodes : none,
    blocks: Int32Array.from(dictionary.blocks),
    records,
    dictionary: tail(dictionary.output, 16),
    small,
    big,
  });
}

function headerOf(component: ComponentParts, apart: boolean): Int32Array {
  const { docs, text, bestDocs, lengths, dictionary, records } = component;
  const header = new Int32Array(HEADER_WORDS);
  const { docsWithField, longDoc, tokens } = lengths;
  header.set([
    INVERTED_VERSION,
    docs,
    docsWithField,
    dictionary.terms,
    text ? HAS_TEXT | (bestDocs ? HAS_BEST_DOCS : 0) | (apart ? HAS_WIDTH_CODES : 0) : 0,
    text ? longDoc.length : 0,
    dictionary.blocks.length / 5,
    records.length / RECORD_WORDS,
  ]);
  new Float64Array(header.buffer, 32, 1)[0] = tokens;
  return header;
}

/** What was written, and `slack` zero bytes more. */
function tail(output: DictionaryWriter['output'], slack: number): Uint8Array {
  output.u8.fill(0, output.length, output.length + slack);
  return output.u8.subarray(0, output.length + slack);
}

function layOut(
  header: Int32Array,
  sections: Record<Section, ArrayBufferView | FilePart>,
): FilePart[] {
  const parts: FilePart[] = [new Uint8Array(header.buffer)];
  let offset = HEADER_WORDS * 4;
  for (const name of SECTIONS_OF_FILE) {
    const part = partOf(sections[name]);
    header.set([offset, part.length], FIRST_SECTION_WORD + 2 * INVERTED_SECTIONS.indexOf(name));
    const padding = -part.length & 15;
    parts.push(part, new Uint8Array(padding));
    offset += part.length + padding;
  }
  return parts;
}

function partOf(section: ArrayBufferView | FilePart): FilePart {
  if (!ArrayBuffer.isView(section)) return section;
  return new Uint8Array(section.buffer, section.byteOffset, section.byteLength);
}
