import { lowerBound, lowerBoundBy } from '../base/arrays/lower-bound.ts';
import { openCursor, type PostingsCursor } from '../postings/cursors.ts';
import { corruptPostings } from '../postings/damage.ts';
import { RECORD, RECORD_WORDS } from '../postings/format.ts';
import { fillTerm } from '../postings/mark-docs.ts';
import {
  type BigTerm,
  openBigTerm,
  type PostingsSource,
  type TermInfo,
} from '../postings/term-info.ts';
import { mapCold } from '../storage/cold-file.ts';
import type { Arena, Region } from '../storage/directory.ts';
import { type DictionaryLayout, dictionaryLayout, entriesOf } from './dictionary-layout.ts';
import { DictionaryReader } from './dictionary-reader.ts';
import {
  BLOCK_WORDS,
  codeWidth,
  DICTIONARY_BLOCK,
  FIRST_SECTION_WORD,
  HAS_BEST_DOCS,
  HAS_TEXT,
  HAS_WIDTH_CODES,
  HEADER_WORDS,
  INVERTED_SECTIONS,
  INVERTED_VERSION,
  type InvertedSections,
  LONG,
  normOf,
  type Section,
} from './format.ts';
import { normsByCode } from './lengths.ts';
import type { BlockRange } from './pattern/prefix.ts';
import type { TermCursor } from './term-cursor.ts';

/**
 * The inverted component of a field, open: plain reads of the arena's bytes. Addresses are byte
 * addresses in the arena, word addresses where the name says so.
 */
export class InvertedReader implements PostingsSource {
  readonly arena: Arena;
  readonly docs: number;
  /** Documents with at least one token. */
  readonly docsWithField: number;
  /** Tokens of all documents. */
  readonly tokens: number;
  readonly termCount: number;
  /** Frequencies, positions and lengths are there. */
  readonly text: boolean;
  readonly ranges: number;
  /** Length codes by document; empty for keyword fields. */
  readonly codes: Uint8Array;
  /** Codes of the widths of positions. */
  readonly widthCodes: Uint8Array;
  /** Impacts by code, by the segment's own average length. */
  readonly impacts: Float64Array;
  /** Bits of a position by width code. */
  readonly widths: Uint8Array;
  readonly longDoc: Int32Array;
  readonly longLength: Int32Array;
  /** Norms by length code, by the segment's own average length. */
  readonly norms: Float64Array;
  readonly #terms: DictionaryReader;
  /** Byte addresses of records and of the postings that they tell of. */
  readonly #records: number;
  readonly #big: number;
  readonly #layout: DictionaryLayout;
  readonly #small: { readonly at: number; readonly bytes: number };
  readonly #sizes: { readonly bigTerms: number; readonly bigBytes: number };
  /** Of a cold file: demands postings before they are read. */
  readonly #demand: Region['demand'];
  readonly #need: Region['need'];
  readonly #start: number;
  /** Bytes up to the end of what finds terms. */
  readonly #index: number;
  /** Lengths of documents; a small dictionary, too. */
  readonly #lengths: { readonly at: number; readonly bytes: number };
  /** Addresses and sizes for the query kernel, in the order of SEGMENT (scoring/kernel/kernel-memory.ts). */
  readonly addresses: Int32Array;

  private constructor(
    region: Region,
    docs: number,
    header: Int32Array,
    sections: InvertedSections,
  ) {
    this.arena = region.arena;
    this.docs = docs;
    this.docsWithField = header[2];
    this.termCount = header[3];
    this.text = (header[4] & HAS_TEXT) !== 0;
    this.ranges = Math.ceil(docs / 256);
    this.tokens = new Float64Array(region.arena.memory.buffer, region.offset + 32, 1)[0];
    this.#records = sections.records.at;
    this.#big = sections.big.at;
    const { buffer } = region.arena.memory;
    const view = (name: Section) => new Uint8Array(buffer, sections[name].at, sections[name].bytes);
    const words = (name: Section) =>
      new Int32Array(buffer, sections[name].at, sections[name].bytes >> 2);
    this.codes = view('codes');
    this.widthCodes = (header[4] & HAS_WIDTH_CODES) !== 0 ? view('widthCodes') : this.codes;
    this.impacts = new Float64Array(buffer, sections.impacts.at, 256);
    this.longDoc = words('longDoc');
    this.longLength = words('longLength');
    this.widths = Uint8Array.from({ length: 256 }, (_, code) => codeWidth(code));
    this.norms = normsByCode(this.averageLength);
    this.#layout = dictionaryLayout(region.arena, sections, this.termCount);
    this.#terms = new DictionaryReader(this.#layout, region);
    this.#small = sections.small;
    this.#sizes = { bigTerms: header[7], bigBytes: sections.big.bytes };
    this.#demand = region.demand;
    this.#need = region.need;
    this.#start = region.offset;
    this.#index = sections.records.at + sections.records.bytes - region.offset;
    this.#lengths = lengthsOf(sections);
    this.needOpening();
    this.addresses = Int32Array.of(
      sections.blocks.at,
      sections.dictionary.at,
      sections.small.at,
      Math.ceil(this.termCount / DICTIONARY_BLOCK),
      this.termCount,
      sections.records.at,
      sections.big.at,
      this.ranges,
      sections.codes.at,
      sections.longDoc.at,
      sections.longLength.at,
      this.longDoc.length,
      sections.impacts.at,
      (header[4] & HAS_BEST_DOCS) !== 0 ? 1 : 0,
    );
  }

  /** Blocks of the dictionary's index. */
  get dictionaryBlocks(): number {
    return this.addresses[3];
  }

  /** True where postings have to be demanded before they are read. */
  get cold(): boolean {
    return this.#demand !== undefined;
  }

  /**
   * Opens a component. Throws corrupt_index where its header does not fit its bytes, its documents
   * or its kind.
   */
  static open(region: Region, docs: number, kind: 'text' | 'keyword'): InvertedReader {
    if (region.length < HEADER_WORDS * 4 || (region.offset & 15) !== 0)
      throw corruptPostings('it is too short');
    region.need?.(region.offset, HEADER_WORDS * 4);
    const header = region.arena.i32.subarray(
      region.offset >> 2,
      (region.offset >> 2) + HEADER_WORDS,
    );
    if (header[0] !== INVERTED_VERSION)
      throw corruptPostings(`its version is ${header[0]}, expected ${INVERTED_VERSION}`);
    if (header[1] !== docs)
      throw corruptPostings(`it has ${header[1]} documents, expected ${docs}`);
    if (((header[4] & HAS_TEXT) !== 0) !== (kind === 'text'))
      throw corruptPostings(`it is not a ${kind} field`);
    const sections = sectionsOf(region, header);
    checkSizes(header, sections, docs, kind === 'text');
    return new InvertedReader(region, docs, header, sections);
  }

  get averageLength(): number {
    return this.docsWithField === 0 ? 1 : this.tokens / this.docsWithField;
  }

  /** For walks over entries without copies (pattern/, document-terms.ts), and their postings. */
  get dictionary(): DictionaryLayout {
    this.#demand?.(this.#small.at, this.#small.bytes);
    return this.entries;
  }

  /** The same for walks that read no postings. */
  get entries(): DictionaryLayout {
    this.#needEntries(0, this.dictionaryBlocks);
    return this.#layout;
  }

  /** The same for walks over entries of blocks from .. to, and postings of their terms. */
  entriesOf(from: number, to: number): DictionaryLayout {
    if (this.#demand !== undefined) {
      const { i32 } = this.arena;
      const at = (block: number) =>
        block >= this.dictionaryBlocks
          ? this.#small.bytes
          : i32[this.#layout.index + block * BLOCK_WORDS + 3];
      this.#demand(this.#small.at + at(from), at(to) - at(from));
    }
    this.#needEntries(from, to);
    return this.#layout;
  }

  /** Of a cold file: demands what all reads need, again after its blocks were evicted. */
  needOpening(): void {
    this.#need?.(this.#start, this.#index);
    const { at, bytes } = this.#lengths;
    if (bytes > 0) this.#demand?.(at, bytes);
  }

  #needEntries(first: number, end: number): void {
    if (this.#need === undefined) return;
    const { from, to } = entriesOf(this.#layout, first, end);
    this.#need(from, to - from);
  }

  /** At most `parts` - 1 terms, ascending, that cut the postings into parts of about equal size. */
  cutTerms(parts: number): readonly Uint8Array[] {
    const { index, terms } = this.#layout;
    const { i32 } = this.arena;
    const blocks = Math.ceil(terms / DICTIONARY_BLOCK);
    const { bigTerms, bigBytes } = this.#sizes;
    const bytesBefore = (block: number): number => {
      const at = index + block * BLOCK_WORDS;
      const big = i32[at + 4];
      const record = (this.#records >> 2) + RECORD_WORDS * big;
      return i32[at + 3] + (big < bigTerms ? 4 * i32[record + RECORD.start] : bigBytes);
    };
    const total = this.#small.bytes + bigBytes;
    const cuts: Uint8Array[] = [];
    let last = 0;
    for (let part = 1; part < parts; part++) {
      const wanted = (total * part) / parts;
      const block = lowerBoundBy(last + 1, blocks, (at) => bytesBefore(at) >= wanted);
      if (block >= blocks) break;
      cuts.push(this.#firstTerm(block));
      last = block;
    }
    return cuts;
  }

  #firstTerm(block: number): Uint8Array {
    const cursor = this.terms();
    cursor.enter(block);
    cursor.next();
    return cursor.bytes().slice();
  }

  /** A term's entry, or null where the field does not have it. Its postings may be read then. */
  lookup(term: Uint8Array): TermInfo | null {
    return this.#demand === undefined ? this.#terms.lookup(term) : this.#terms.demandTerm(term);
  }

  /** Number of documents that hold a term, deleted ones too; 0: none. Reads no postings. */
  frequency(term: Uint8Array): number {
    return this.#terms.lookup(term)?.df ?? 0;
  }

  /**
   * The dictionary block in which a term stands, if it is there (0 where all are above it); not
   * before block `from`, near which it is looked for first.
   */
  blockOf(term: Uint8Array, from = 0): number {
    return this.#terms.blockOf(term, from);
  }

  /** The terms in byte order, from the first that is not below `from` on. */
  terms(from?: Uint8Array): TermCursor {
    this.#needEntries(0, this.dictionaryBlocks);
    return this.#terms.cursor(from);
  }

  /** A cursor that enters some blocks (from .. to, inclusive), whose terms may be read. */
  termsIn(ranges: readonly BlockRange[]): TermCursor {
    mapCold(ranges, ({ from, to }) => this.#needEntries(from, to + 1));
    return this.#terms.cursor();
  }

  /** Bytes of the entries of the dictionary. */
  get dictionaryBytes(): number {
    return this.#layout.end - this.#layout.entries;
  }

  /** The first eight bytes of the first term of a block; missing ones are 0. */
  blockHead(block: number): Uint8Array {
    const { arena, index } = this.#layout;
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeInt32BE(arena.i32[index + block * BLOCK_WORDS]);
    bytes.writeInt32BE(arena.i32[index + block * BLOCK_WORDS + 1], 4);
    return bytes;
  }

  /** A big term's record, decoded. */
  big(info: TermInfo): BigTerm {
    if (this.#demand !== undefined) this.#demandBig(info.at, this.#demand);
    return openBigTerm(this.arena, this.#records, this.#big, this.ranges, info.at);
  }

  #demandBig(number: number, demand: NonNullable<Region['demand']>): void {
    const { i32 } = this.arena;
    const at = (this.#records >> 2) + number * RECORD_WORDS;
    demand(this.#big + 4 * i32[at + RECORD.start], i32[at + RECORD.bytes]);
  }

  /** The postings of a term, before its first document. */
  postings(info: TermInfo): PostingsCursor {
    return openCursor(this, info);
  }

  /** Sets the bits of a term's documents. */
  fill(info: TermInfo, bits: Int32Array): void {
    fillTerm(this, info, bits);
  }

  /** Exact number of tokens of a document; 1 in keyword fields. */
  lengthOf(doc: number): number {
    if (!this.text) return 1;
    const code = this.codes[doc];
    return code < LONG ? code : this.longLength[lowerBound(this.longDoc, doc)];
  }

  /** Exact norm of a document by an average length. */
  normAt(doc: number, averageLength: number): number {
    return normOf(this.lengthOf(doc), averageLength);
  }

  /** Bits of a position of a document. */
  positionWidth(doc: number): number {
    return this.widths[this.widthCodes[doc]];
  }
}

/** Dictionaries of so many bytes are demanded with what all reads need. */
const SMALL_DICTIONARY = 2 ** 19;

function lengthsOf({ codes, widthCodes, dictionary }: InvertedSections) {
  const end = dictionary.bytes > SMALL_DICTIONARY ? widthCodes : dictionary;
  return { at: codes.at, bytes: end.at + end.bytes - codes.at };
}

function sectionsOf(region: Region, header: Int32Array): InvertedSections {
  const sections: Partial<Record<Section, { at: number; bytes: number }>> = {};
  INVERTED_SECTIONS.forEach((name, i) => {
    const offset = header[FIRST_SECTION_WORD + 2 * i];
    const bytes = header[FIRST_SECTION_WORD + 2 * i + 1];
    const fits = offset >= HEADER_WORDS * 4 && bytes >= 0 && offset + bytes <= region.length;
    if (!fits || (offset & 15) !== 0)
      throw corruptPostings(`its section "${name}" leaves the file`);
    sections[name] = { at: region.offset + offset, bytes };
  });
  return sections as InvertedSections;
}

function checkSizes(
  header: Int32Array,
  sections: InvertedSections,
  docs: number,
  text: boolean,
): void {
  const [, , withField, terms, , longDocs, blocks, bigTerms] = header;
  const sizes: Partial<Record<Section, number>> = {
    impacts: 2048,
    codes: text ? docs : 0,
    // Components of values written before had a count, and no lengths to count.
    longDoc: text ? 4 * longDocs : 0,
    longLength: text ? 4 * longDocs : 0,
    blocks: 20 * blocks,
    records: 4 * RECORD_WORDS * bigTerms,
  };
  for (const [name, bytes] of Object.entries(sizes)) {
    if (sections[name as Section].bytes !== bytes)
      throw corruptPostings(`its section "${name}" has a wrong size`);
  }
  const widthCodes = sections.widthCodes.bytes;
  if (widthCodes !== 0 && widthCodes !== docs)
    throw corruptPostings('its section "widthCodes" has a wrong size');
  const sane =
    withField >= 0 && withField <= docs && terms >= 0 && blocks === Math.ceil(terms / 16);
  if (!sane) throw corruptPostings('its counts do not agree');
}
