/**
 * The full check of an inverted component: every term's postings are walked, block by block as they
 * are stored.
 */
import { corruptPostings } from '../postings/damage.ts';
import { TermBlocks } from '../postings/term-blocks.ts';
import type { TermInfo } from '../postings/term-info.ts';
import type { InvertedReader } from './inverted-reader.ts';
import type { TermCursor } from './term-cursor.ts';

/** Who sees the terms and postings that are walked. */
export interface PostingsVisitor {
  /** The next term: source[0 .. length) is only valid during the call. */
  term(ordinal: number, source: Uint8Array, length: number): void;
  /** A document that holds it. */
  posting(doc: number): void;
}

/**
 * Walks every term: terms rise, documents rise and lie in the segment, as many as the dictionary
 * says; in text fields frequencies add up to the documents' lengths and positions rise. Throws
 * corrupt_index.
 */
export function checkInverted(reader: InvertedReader, visitor?: PostingsVisitor): void {
  const walk = new PostingsWalk(reader, visitor);
  const cursor = reader.terms();
  const previous = new LastTerm();
  let terms = 0;
  while (cursor.next()) {
    if (terms > 0 && !previous.isBelow(cursor)) throw corruptPostings('its terms do not rise');
    previous.take(cursor);
    visitor?.term(terms, cursor.source, cursor.length);
    walk.term(cursor.info());
    terms++;
  }
  if (terms !== reader.termCount)
    throw corruptPostings(`it has ${terms} terms, expected ${reader.termCount}`);
  if (reader.text) checkLengths(reader, walk.lengths);
}

/** A copy of the term before. */
class LastTerm {
  #bytes = new Uint8Array(256);
  #length = 0;

  isBelow({ source, length }: TermCursor): boolean {
    const most = Math.min(this.#length, length);
    for (let i = 0; i < most; i++) {
      if (this.#bytes[i] !== source[i]) return this.#bytes[i] < source[i];
    }
    return this.#length < length;
  }

  take({ source, length }: TermCursor): void {
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(2 * length);
    for (let i = 0; i < length; i++) this.#bytes[i] = source[i];
    this.#length = length;
  }
}

class PostingsWalk {
  /** Tokens found so far, by document. */
  readonly lengths: Int32Array;
  readonly #reader: InvertedReader;
  readonly #visitor: PostingsVisitor | undefined;
  readonly #blocks: TermBlocks;
  #last = -1;
  #count = 0;

  constructor(reader: InvertedReader, visitor: PostingsVisitor | undefined) {
    this.#reader = reader;
    this.#visitor = visitor;
    this.#blocks = new TermBlocks(reader);
    this.lengths = new Int32Array(reader.docs);
  }

  /** Walks the postings of a term. */
  term(info: TermInfo): void {
    this.#last = -1;
    this.#count = 0;
    this.#blocks.open(info);
    while (this.#blocks.next()) this.#run();
    if (this.#count !== info.df)
      throw corruptPostings(`a term has ${this.#count} postings, expected ${info.df}`);
  }

  #run(): void {
    const { text, docs: all } = this.#reader;
    const { docs, frequencies, from, to } = this.#blocks;
    const visitor = this.#visitor;
    let last = this.#last;
    for (let i = from; i < to; i++) {
      const doc = docs[i];
      if (doc <= last || doc >= all) throw corruptPostings(`a posting names document ${doc}`);
      last = doc;
      if (text) this.#tokens(doc, frequencies[i]);
      else visitor?.posting(doc);
    }
    this.#last = last;
    this.#count += to - from;
  }

  /** Frequency and positions of a posting. */
  #tokens(doc: number, tf: number): void {
    const reader = this.#reader;
    if (tf < 1 || tf > reader.lengthOf(doc))
      throw corruptPostings(`a frequency is ${tf} in document ${doc}`);
    this.lengths[doc] += tf;
    const width = reader.widths[reader.widthCodes[doc]];
    const blocks = this.#blocks;
    if (tf > 1) {
      const { view } = reader.arena;
      const mask = 2 ** width - 1;
      let before = 0;
      for (let i = 0, b = blocks.bits; i < tf; i++, b += width) {
        const position = (view.getInt32(blocks.positionsAt + (b >>> 3), true) >>> (b & 7)) & mask;
        if (position < before) throw corruptPostings(`positions of document ${doc} do not rise`);
        before = position;
      }
    }
    blocks.bits += tf * width;
  }
}

function checkLengths(reader: InvertedReader, lengths: Int32Array): void {
  let tokens = 0;
  let withField = 0;
  for (let doc = 0; doc < reader.docs; doc++) {
    if (lengths[doc] !== reader.lengthOf(doc))
      throw corruptPostings(`document ${doc} has another length`);
    tokens += lengths[doc];
    if (lengths[doc] > 0) withField++;
  }
  if (tokens !== reader.tokens || withField !== reader.docsWithField)
    throw corruptPostings('its totals do not agree');
}
