/**
 * The terms that one document holds. Postings are stored by term, so every entry of the dictionary
 * is read; postings are decoded only as far as the document.
 */
import { successor } from '../base/bytes/byte-order.ts';
import { denseHolds } from '../postings/dense-terms.ts';
import { DENSE, LIST_BLOCK } from '../postings/format.ts';
import { decodeShortDocs } from '../postings/short-terms.ts';
import { BIG, type TermInfo } from '../postings/term-info.ts';
import { ListLook } from '../postings/term-test.ts';
import { readVarint, varintBytes } from '../postings/varint.ts';
import { BLOCK_WORDS, DICTIONARY_BLOCK } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';

/** Dictionary blocks of a step. */
const BLOCKS_PER_CHECK = 1024;

/** Which terms of which document to look for, and for how long. */
export interface DocumentTermsRequest {
  readonly doc: number;
  /** Only terms that begin with these bytes. */
  readonly prefix: Uint8Array;
  /** On the clock of performance.now(). */
  readonly deadline: number;
}

type VisitTerm = (term: Uint8Array, info: TermInfo) => void;

/**
 * Calls `visit` for each term of a document that begins with `prefix`, in byte order; false: the
 * deadline passed before the last one. The bytes are a copy.
 */
export function eachTermOf(
  inverted: InvertedReader,
  { deadline, ...request }: DocumentTermsRequest,
  visit: VisitTerm,
): boolean {
  for (const _ of termsInSteps(inverted, request, visit)) {
    if (performance.now() > deadline) return false;
  }
  return true;
}

/** The same for all terms, in short steps. */
export function* termsInSteps(
  inverted: InvertedReader,
  { doc, prefix }: Omit<DocumentTermsRequest, 'deadline'>,
  visit: VisitTerm,
): Generator<void, void, undefined> {
  const { from, to } = blocksOf(inverted, prefix);
  const scan = new BlockScan(inverted, doc);
  for (let block = from; block < to; block += BLOCKS_PER_CHECK) {
    yield;
    const end = Math.min(to, block + BLOCKS_PER_CHECK);
    for (let at = scan.find(block, end); at < end; at = scan.find(at + 1, end)) {
      visitFound(inverted, at, scan.found, (term, info) => {
        if (prefix.every((byte, i) => term[i] === byte)) visit(term, info);
      });
    }
  }
}

/** Visits the entries of a dictionary block whose bits are set. */
function visitFound(
  inverted: InvertedReader,
  block: number,
  found: number,
  visit: VisitTerm,
): void {
  const cursor = inverted.terms();
  cursor.enter(block);
  for (let entries = found; entries !== 0; entries >>>= 1) {
    cursor.next();
    if ((entries & 1) !== 0) visit(cursor.bytes().slice(), cursor.info());
  }
}

/** The dictionary blocks [from, to) that hold all terms with a prefix. */
function blocksOf(inverted: InvertedReader, prefix: Uint8Array) {
  const blocks = Math.ceil(inverted.termCount / DICTIONARY_BLOCK);
  const after = successor(prefix);
  if (after === null) return { from: 0, to: blocks };
  return { from: inverted.blockOf(prefix), to: Math.min(blocks, inverted.blockOf(after) + 1) };
}

/** Finds the dictionary blocks with terms that a document holds. */
class BlockScan {
  /** The entries of the last block found: a bit per entry. */
  found = 0;
  readonly #inverted: InvertedReader;
  readonly #doc: number;
  readonly #lists = new ListLook();
  readonly #docs = new Int32Array(LIST_BLOCK);

  constructor(inverted: InvertedReader, doc: number) {
    this.#inverted = inverted;
    this.#doc = doc;
  }

  /** The first block of [from, to) with a term that the document holds; `to` if there is none. */
  find(from: number, to: number): number {
    const inverted = this.#inverted;
    const { u8, i32 } = inverted.arena;
    const { terms, index, entries: dictionaryAt, small: smallAt } = inverted.dictionary;
    for (let block = from; block < to; block++) {
      const own = index + block * BLOCK_WORDS;
      let at = dictionaryAt + i32[own + 2];
      let postings = smallAt + i32[own + 3];
      let big = i32[own + 4];
      let found = 0;
      const entries = Math.min(DICTIONARY_BLOCK, terms - block * DICTIONARY_BLOCK);
      for (let entry = 0; entry < entries; entry++) {
        const rest = u8[at + 1];
        at += rest === 255 && u8[at] === 255 ? longTermBytes(u8, at) : 2 + rest;
        let df = u8[at++];
        if (df >= 128) {
          df = readVarint(u8, at - 1);
          at += varintBytes(df) - 1;
        }
        if (df >= LIST_BLOCK) {
          if (this.#bigHolds(df, big++)) found |= 1 << entry;
          continue;
        }
        if (this.#shortHolds(u8, postings, df)) found |= 1 << entry;
        let bytes = u8[at++];
        if (bytes >= 128) {
          bytes = readVarint(u8, at - 1);
          at += varintBytes(bytes) - 1;
        }
        postings += bytes;
      }
      if (found === 0) continue;
      this.found = found;
      return block;
    }
    return to;
  }

  #bigHolds(df: number, at: number): boolean {
    const inverted = this.#inverted;
    const term = inverted.big({ df, kind: BIG, at });
    if (term.kind === DENSE) return denseHolds(inverted.arena, term, this.#doc);
    return this.#lists.holds(inverted, term, this.#doc);
  }

  #shortHolds(u8: Uint8Array, from: number, df: number): boolean {
    const doc = this.#doc;
    const n = decodeShortDocs(u8, from, df, this.#docs, doc + 1);
    return n > 0 && this.#docs[n - 1] === doc;
  }
}

/** Bytes of an entry before its frequency, where its lengths are escaped (format.ts). */
function longTermBytes(u8: Uint8Array, at: number): number {
  const shared = readVarint(u8, at + 2);
  const lengthAt = at + 2 + varintBytes(shared);
  const rest = readVarint(u8, lengthAt);
  return lengthAt + varintBytes(rest) + rest - at;
}
