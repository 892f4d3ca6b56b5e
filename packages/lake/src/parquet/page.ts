/**
 * One data page: decoded levels, and values that are decoded when they are read.
 *
 * 1. The checksum, if the header has one, is compared with the stored bytes.
 * 2. v1: everything is decompressed; then repetition levels, definition levels (u32 LE length
 *    before each), values. v2: both levels come first, uncompressed, their lengths in the header.
 * 3. Levels are checked against the column's maxima; the entries without a value are counted.
 */
import { crc32 } from 'node:zlib';
import { decompress } from './encodings/codecs.ts';
import { decodePlain, decodeValues } from './encodings/encodings.ts';
import { type PageValues, sharedTexts } from './encodings/page-values.ts';
import { decodeBitPackedLevels, decodeHybrid, singleRun } from './encodings/rle.ts';
import { type FaultPlace, parquetFault } from './fault.ts';
import type { PageHeader } from './page-header.ts';
import type { LeafNode } from './schema-tree.ts';

/** A decoded page. An entry is a value, a null, or an empty list on the way. */
export interface LeafPage {
  readonly entries: number;
  /**
   * Levels by entry; null if all are zero (repetition) or all are at their maximum (definition).
   */
  readonly repetition: Uint8Array | null;
  readonly definition: Uint8Array | null;
  /** Index into `values` by entry, -1 where there is none; null if entry i is value i. */
  readonly valueIndex: Int32Array | null;
  readonly values: PageValues;
  /** Memory that this page takes. */
  readonly bytes: number;
}

/** What a page needs from its column. */
export interface PageContext {
  readonly leaf: LeafNode;
  readonly codec: number;
  readonly place: FaultPlace;
}

/** Decodes the `stored` bytes behind a data page's header. */
export async function decodePage(
  context: PageContext,
  header: PageHeader,
  stored: Uint8Array,
  dictionary: PageValues | null,
): Promise<LeafPage> {
  checkCrc(context, header, stored);
  if (header.kind === 'v1') return decodeV1(context, header, stored, dictionary);
  if (header.kind === 'v2') return decodeV2(context, header, stored, dictionary);
  throw parquetFault(context.place, `a ${header.kind} page stands among the data pages`);
}

/** Decodes the `stored` bytes behind a dictionary page's header. */
export async function decodeDictionary(
  context: PageContext,
  header: PageHeader,
  stored: Uint8Array,
): Promise<PageValues> {
  const { leaf, codec, place } = context;
  checkCrc(context, header, stored);
  const bytes = await decompress(codec, stored, header.plainBytes, place);
  const values = decodePlain(leaf, bytes, header.valueCount);
  if (values === null) throw parquetFault(place, `the dictionary of "${leaf.path}" is too short`);
  return sharedTexts(values);
}

function checkCrc({ leaf, place }: PageContext, header: PageHeader, stored: Uint8Array): void {
  if (header.crc === null) return;
  const actual = crc32(stored);
  if (actual !== header.crc >>> 0) {
    throw parquetFault(place, `a page of "${leaf.path}" does not match its checksum`);
  }
}

async function decodeV1(
  context: PageContext,
  header: PageHeader & { kind: 'v1' },
  stored: Uint8Array,
  dictionary: PageValues | null,
): Promise<LeafPage> {
  const { leaf, codec, place } = context;
  const bytes = await decompress(codec, stored, header.plainBytes, place);
  const levels = new LevelReader(context, bytes, header.valueCount);
  const repetition = levels.v1(leaf.repeat, header.repetitionEncoding, 0);
  const definition = levels.v1(leaf.definition, header.definitionEncoding, leaf.definition);
  return finish(context, header, repetition, definition, levels.rest(), dictionary);
}

async function decodeV2(
  context: PageContext,
  header: PageHeader & { kind: 'v2' },
  stored: Uint8Array,
  dictionary: PageValues | null,
): Promise<LeafPage> {
  const { leaf, codec, place } = context;
  const levels = new LevelReader(context, stored, header.valueCount);
  const repetition = levels.v2(leaf.repeat, header.repetitionBytes, 0);
  const definition = levels.v2(leaf.definition, header.definitionBytes, leaf.definition);
  const levelBytes = header.repetitionBytes + header.definitionBytes;
  const rest = header.compressed
    ? await decompress(codec, levels.rest(), header.plainBytes - levelBytes, place)
    : levels.rest();
  return finish(context, header, repetition, definition, rest, dictionary);
}

function finish(
  { leaf, place }: PageContext,
  header: PageHeader,
  repetition: Uint8Array | null,
  definition: Uint8Array | null,
  bytes: Uint8Array,
  dictionary: PageValues | null,
): LeafPage {
  const entries = header.valueCount;
  const index = definition === null ? null : indexValues(definition, leaf.definition);
  const count = index === null ? entries : index.count;
  const values = decodeValues(leaf, header.encoding, bytes, count, dictionary, place);
  const valueIndex = index === null || count === entries ? null : index.valueIndex;
  const levelBytes = (repetition?.length ?? 0) + (definition?.length ?? 0);
  return {
    entries,
    repetition,
    definition,
    valueIndex,
    values,
    bytes: values.bytes + levelBytes + (valueIndex === null ? 0 : entries * 4) + 256,
  };
}

function indexValues(
  definition: Uint8Array,
  max: number,
): { valueIndex: Int32Array; count: number } {
  const valueIndex = new Int32Array(definition.length);
  let count = 0;
  for (let i = 0; i < definition.length; i++) valueIndex[i] = definition[i] === max ? count++ : -1;
  return { valueIndex, count };
}

class LevelReader {
  readonly #context: PageContext;
  readonly #bytes: Uint8Array;
  readonly #entries: number;
  #at = 0;

  constructor(context: PageContext, bytes: Uint8Array, entries: number) {
    this.#context = context;
    this.#bytes = bytes;
    this.#entries = entries;
  }

  /** Null if every level is `usual`: the maximum of definitions, zero of repetitions. */
  v1(max: number, encoding: number, usual: number): Uint8Array | null {
    if (max === 0) return null;
    if (encoding === 4) return this.#bitPacked(max);
    if (encoding !== 3) throw this.#fault(`level encoding ${encoding}`);
    if (this.#at + 4 > this.#bytes.length) throw this.#fault('levels that end too early');
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at);
    const length = view.getUint32(0, true);
    this.#at += 4;
    return this.v2(max, length, usual);
  }

  v2(max: number, length: number, usual: number): Uint8Array | null {
    if (this.#at + length > this.#bytes.length) throw this.#fault('levels that end too early');
    this.#at += length;
    if (max === 0) return null;
    const input = this.#bytes.subarray(this.#at - length, this.#at);
    if (singleRun(input, bitWidth(max), this.#entries) === usual) return null;
    const levels = new Uint8Array(this.#entries);
    if (!decodeHybrid(input, bitWidth(max), levels)) throw this.#fault('broken levels');
    return this.#checked(levels, max);
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  #bitPacked(max: number): Uint8Array {
    const width = bitWidth(max);
    const levels = new Uint8Array(this.#entries);
    if (!decodeBitPackedLevels(this.rest(), width, levels)) throw this.#fault('broken levels');
    this.#at += (this.#entries * width + 7) >>> 3;
    return this.#checked(levels, max);
  }

  #checked(levels: Uint8Array, max: number): Uint8Array {
    for (const level of levels) {
      if (level > max) throw this.#fault(`level ${level}, its maximum is ${max}`);
    }
    return levels;
  }

  #fault(what: string): Error {
    const { leaf, place } = this.#context;
    return parquetFault(place, `a page of "${leaf.path}" has ${what}`);
  }
}

function bitWidth(max: number): number {
  return 32 - Math.clz32(max);
}
