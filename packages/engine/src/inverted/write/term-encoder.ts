import { encodeBig, encodeScratch } from '../../postings/encode-big.ts';
import type { EncodeContext } from '../../postings/encode-dense.ts';
import {
  DENSE_SHARE,
  LIST,
  LIST_BLOCK,
  RANGE,
  RECORD,
  RECORD_WORDS,
} from '../../postings/format.ts';
import { ImpactCodes } from '../../postings/impact-codes.ts';
import type { TermPostings } from '../../postings/postings-buffer.ts';
import { PostingsKernel } from '../../postings/postings-kernel.ts';
import { encodeShort } from '../../postings/short-terms.ts';
import type { Spill } from '../../storage/spill.ts';
import { isShort } from '../dictionary-writer.ts';
import { codeWidth } from '../format.ts';
import { type EncodedLengths, normsByCode } from '../lengths.ts';
import { SpilledOutput } from './spilled-output.ts';

const SPILL_BYTES = 16 * 2 ** 20;

/** What an encoder may store aside, and what it leaves out. */
export interface EncoderOptions {
  /** A place for the postings of short and of other terms; absent: all of them stay in memory. */
  readonly open?: (what: 'small' | 'big') => Spill;
  /** Postings of so many bytes are written aside. Default: 16 MiB. */
  readonly fromBytes?: number;
  /** Whether big text terms store their best documents. Default: true. */
  readonly bestDocs?: boolean | undefined;
}

/** Encodes the postings of terms, which come in byte order: all terms of a field, or a part. */
export class TermEncoder {
  readonly small: SpilledOutput;
  readonly big: SpilledOutput;
  readonly impacts = new ImpactCodes();
  /** Records of the terms that are not short. */
  readonly records: number[] = [];
  /** Encodes text postings that lie in its memory; null: there is none. */
  readonly kernel: PostingsKernel | null;
  /** Whether big terms store their best documents. */
  readonly bestDocs: boolean;
  readonly #text: boolean;
  readonly #context: EncodeContext;
  readonly #denseFrom: number;

  constructor(docs: number, text: boolean, lengths: EncodedLengths, options: EncoderOptions = {}) {
    const { open, fromBytes = SPILL_BYTES, bestDocs = true } = options;
    this.small = new SpilledOutput(open?.('small') ?? null, fromBytes, false);
    this.big = new SpilledOutput(open?.('big') ?? null, fromBytes, true);
    this.bestDocs = text && bestDocs;
    this.kernel = text ? kernelOver(docs, lengths, this.bestDocs) : null;
    this.#text = text;
    const { normOf, codes } = lengths;
    this.#context = {
      docs,
      ranges: Math.ceil(docs / RANGE),
      output: this.big.bits,
      impacts: this.impacts,
      ...encodeScratch(),
      text,
      bestDocs: this.bestDocs,
      codes,
      impact: (doc, frequency) => frequency / (frequency + normOf(doc)),
    };
    this.#denseFrom = Math.max(LIST_BLOCK, Math.ceil(docs / DENSE_SHARE));
  }

  /** Terms that are not short. */
  get bigTerms(): number {
    return this.records.length / RECORD_WORDS;
  }

  /** Encodes the postings of the next term; returns its bytes in `small`, 0 if it is not short. */
  encode(postings: TermPostings): number {
    const { df, kernel, used } = postings;
    this.small.beginTerm();
    if (isShort(df)) {
      const { bits } = this.small;
      const begin = bits.length;
      if (kernel === null) encodeShort(postings, bits, this.#text);
      else kernel.short(df, used, bits);
      return bits.length - begin;
    }
    this.big.beginTerm();
    const { base, bits } = this.big;
    this.impacts.base = base;
    const dense = df >= this.#denseFrom;
    const record =
      kernel === null
        ? encodeBig(postings, this.#context, dense)
        : kernel.big(df, used, dense, bits, this.impacts);
    if (base > 0) moveRecord(record, base);
    for (const word of record) this.records.push(word);
    return 0;
  }
}

/** The kernel over the documents of a text field. */
function kernelOver(
  docs: number,
  lengths: EncodedLengths,
  bestDocs: boolean,
): PostingsKernel | null {
  const { codes, widthCodes, longDoc, normOf } = lengths;
  return PostingsKernel.over({
    ...{ docs, codes, widthCodes, longDoc, bestDocs },
    norms: normsByCode(lengths.average),
    widths: Uint8Array.from({ length: 256 }, (_, code) => codeWidth(code)),
    longNorms: Float64Array.from(longDoc, normOf),
  });
}

/** Changes the addresses of a record: its postings begin `base` bytes later. */
export function moveRecord(record: Int32Array, base: number): void {
  record[RECORD.start] += base >> 2;
  record[RECORD.payload] += base;
  if (record[RECORD.kind] === LIST) record[RECORD.positions] += base;
}
