import { type DENSE, type LIST, RECORD, RECORD_WORDS, type SHORT } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';

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

const FLOATS = new Float32Array(1);
const FLOAT_BITS = new Int32Array(FLOATS.buffer);

/** A record, decoded. All places are byte addresses. */
export interface BigTerm {
  readonly df: number;
  readonly kind: typeof DENSE | typeof LIST;
  readonly start: number;
  /** Dense: where the ranges' payload begins. List: where the blocks' data begins. */
  readonly payload: number;
  readonly positions: number;
  readonly blocks: number;
  readonly wide: boolean;
  /** Tenth best and best impact by the segment's own average length: not above, not below. */
  readonly tenth: number;
  readonly best: number;
}

/** Decodes the record of a big term. */
export function bigTerm(reader: InvertedReader, info: TermInfo): BigTerm {
  const { i32 } = reader.arena;
  const at = (reader.sections.records.at >> 2) + info.at * RECORD_WORDS;
  const big = reader.sections.big.at;
  const float = (word: number) => {
    FLOAT_BITS[0] = i32[at + word];
    return FLOATS[0];
  };
  return {
    df: i32[at + RECORD.df],
    kind: i32[at + RECORD.kind] as typeof DENSE | typeof LIST,
    start: big + 4 * i32[at + RECORD.start],
    payload: big + i32[at + RECORD.payload],
    positions: big + i32[at + RECORD.positions],
    blocks: i32[at + RECORD.blocks],
    wide: i32[at + RECORD.wide] === 1,
    tenth: float(RECORD.tenth),
    best: float(RECORD.best),
  };
}

/** Places of the parts of a dense term, as byte addresses (dense-postings.ts). */
export interface DenseParts {
  readonly bitmap: number;
  readonly base: number;
  readonly offset: number;
  readonly impact: number;
  readonly width: number;
  readonly group: number;
}

/** Computes them. */
export function denseParts(reader: InvertedReader, term: BigTerm): DenseParts {
  const { ranges } = reader;
  const base = term.start + 32 * ranges;
  const offset = base + 4 * ((ranges >> 3) + 1);
  const impact = offset + ranges * (term.wide ? 4 : 2);
  return {
    bitmap: term.start,
    base,
    offset,
    impact,
    width: impact + ranges,
    group: impact + 2 * ranges,
  };
}

/**
 * Byte address in range r of a dense term where frequencies end (backwards) and positions begin.
 */
export function boundaryOf(
  reader: InvertedReader,
  term: BigTerm,
  parts: DenseParts,
  r: number,
): number {
  const { u8, i32, view } = reader.arena;
  if (term.wide) return term.payload + view.getInt32(parts.offset + 4 * r, true);
  const at = parts.offset + 2 * r;
  return term.payload + i32[(parts.base >> 2) + (r >> 3)] + (u8[at] | (u8[at + 1] << 8));
}
