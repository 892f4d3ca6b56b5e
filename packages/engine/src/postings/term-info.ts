import type { Arena } from '../storage/directory.ts';
import { DENSE, LIST, RECORD, RECORD_WORDS, SHORT } from './format.ts';

/** Where a term's postings are. */
export interface TermInfo {
  /** Documents that hold the term, deleted ones too. */
  readonly df: number;
  /** SHORT, or BIG (dense or list, as its record says). */
  readonly kind: typeof SHORT | typeof BIG;
  /** SHORT: byte address of its postings. BIG: its number among the big terms. */
  readonly at: number;
}
/** A term with a record. */
export const BIG = 3;

/**
 * `at` and `kind` of a term in one number: the byte address of a short term's postings, or
 * -1 - number of a big term.
 */
export const termRef = ({ kind, at }: TermInfo): number => (kind === BIG ? -1 - at : at);

/** The term of `df` documents with such a number. */
export const termOfRef = (df: number, ref: number): TermInfo =>
  ref < 0 ? { df, kind: BIG, at: -1 - ref } : { df, kind: SHORT, at: ref };

/** The byte addresses of a dense term's parts (dense-terms.ts). */
export interface DenseTerm {
  readonly kind: typeof DENSE;
  readonly df: number;
  readonly docBitsAt: number;
  readonly baseOffsetsAt: number;
  readonly rangeOffsetsAt: number;
  readonly rangeImpactsAt: number;
  readonly rangeWidthsAt: number;
  readonly groupOffsetsAt: number;
  readonly rangeDataAt: number;
  /** Offsets of ranges have 32 bits. */
  readonly wide: boolean;
}

/** The byte addresses of a list term's parts (list-terms.ts). */
export interface ListTerm {
  readonly kind: typeof LIST;
  readonly df: number;
  readonly blocks: number;
  readonly lastDocsAt: number;
  readonly blockHeadsAt: number;
  readonly dataOffsetsAt: number;
  readonly positionOffsetsAt: number;
  readonly blockDataAt: number;
  readonly blockPositionsAt: number;
}

/** A term with a record, open. */
export type BigTerm = DenseTerm | ListTerm;

/** What decoding needs of a component: the inverted reader has it. */
export interface PostingsSource {
  readonly arena: Arena;
  readonly docs: number;
  readonly ranges: number;
  /** Frequencies and positions are there. */
  readonly text: boolean;
  /** Postings have to be demanded before they are read (storage/cold-file.ts). */
  readonly cold?: boolean;
  /** Bits of a position: widths[widthCodes[doc]]. */
  readonly widthCodes: Uint8Array;
  readonly widths: Uint8Array;
  /** Opens a big term. */
  big(info: TermInfo): BigTerm;
}

/**
 * The addresses of big term `number`, from its record. `recordsAt`, `bigAt`: byte addresses of the
 * component's sections.
 */
export function openBigTerm(
  { i32 }: Arena,
  recordsAt: number,
  bigAt: number,
  ranges: number,
  number: number,
): BigTerm {
  const at = (recordsAt >> 2) + number * RECORD_WORDS;
  const start = bigAt + 4 * i32[at + RECORD.start];
  const payload = bigAt + i32[at + RECORD.payload];
  const df = i32[at + RECORD.df];
  if (i32[at + RECORD.kind] !== DENSE) {
    const blocks = i32[at + RECORD.blocks];
    return {
      kind: LIST,
      df,
      blocks,
      lastDocsAt: start,
      blockHeadsAt: start + 4 * blocks,
      dataOffsetsAt: start + 8 * blocks,
      positionOffsetsAt: start + 12 * blocks,
      blockDataAt: payload,
      blockPositionsAt: bigAt + i32[at + RECORD.positions],
    };
  }
  const wide = i32[at + RECORD.wide] === 1;
  const base = start + 32 * ranges;
  const offsets = base + 4 * ((ranges >> 3) + 1);
  const impacts = offsets + ranges * (wide ? 4 : 2);
  return {
    kind: DENSE,
    df,
    docBitsAt: start,
    baseOffsetsAt: base,
    rangeOffsetsAt: offsets,
    rangeImpactsAt: impacts,
    rangeWidthsAt: impacts + ranges,
    groupOffsetsAt: impacts + 2 * ranges,
    rangeDataAt: payload,
    wide,
  };
}
