/** A column of a segment as numbered buckets: what terms, histograms and distinct counts read. */
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../../columnar/ordinal-column.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { BucketKey } from '../bucket-key.ts';
import { type Codes, takeCodes } from '../loops/code-loops.ts';
import { loopsOf } from '../loops/compiled-loops.ts';
import { countValues } from './count-values.ts';

/** Numbers the buckets of a field in one segment. */
export interface Coder {
  /** All codes are below this; Infinity where they are given out as values come. */
  readonly size: number;
  /** Codes rise with keys. */
  readonly ordered: boolean;
  /** The document's codes, each once, to out[0 ..]; returns how many. */
  read(doc: number, out: number[]): number;
  /**
   * The codes of docs[0 .. count) to `out`, -1 where there is none; null where a document may have
   * several.
   */
  readonly fill: ((docs: Int32Array, count: number, out: Int32Array) => void) | null;
  key(code: number): BucketKey;
  /** Documents of the bitmap by code, or null where only `read` can tell. */
  count(matches: Int32Array): Int32Array | null;
}

/** Above this many codes counting one by one is left to maps. */
export const DENSE_CODES = 1 << 22;

/**
 * The values of a field in one segment. Numbers of 64 bits have no codes (`coder` is null): there
 * the value itself, an ordered integer, takes the place of the code.
 */
export interface FieldValues {
  readonly coder: Coder | null;
  /** The column of `coder` where it is one of byte strings: codes are its ordinals. */
  readonly ordinals: OrdinalColumn | null;
  /** The document's values, each once, to out[0 ..], where there is no coder; returns how many. */
  readonly readWide: ((doc: number, out: bigint[]) => number) | null;
  key(code: number | bigint): BucketKey;
}

/** The values of a field; null where no document of the segment has one. */
export function fieldValues(reader: SegmentReader, field: FieldPlan): FieldValues | null {
  const ordinals = field.column === 'ordinal' ? reader.ordinals(field.id) : null;
  const coder = valueCoder(reader, field);
  if (coder !== null) {
    return { coder, ordinals, readWide: null, key: (code) => coder.key(code as number) };
  }
  const wide = field.column === 'ordinal' ? null : reader.numeric(field.id);
  if (wide === null || wide.values === 0) return null;
  const values = wide.wide!;
  return {
    coder: null,
    ordinals: null,
    readWide: slotReader(wide, (slot) => values[slot]),
    key: (value) => value as bigint,
  };
}

/** The values of a field as codes; null where no document has one, and for numbers of 64 bits. */
export function valueCoder(reader: SegmentReader, field: FieldPlan): Coder | null {
  if (field.column === 'ordinal') {
    const column = reader.ordinals(field.id);
    return column === null ? null : ordinalCoder(column, () => reader.inverted(field.id));
  }
  const column = reader.numeric(field.id);
  if (column === null || column.values === 0 || column.wide !== null) return null;
  return narrowCoder(column);
}

function ordinalCoder(column: OrdinalColumn, postings: () => InvertedReader | null): Coder {
  const { codes, starts, size } = column;
  return {
    size,
    ordered: true,
    read(doc, out) {
      if (starts === null) {
        out[0] = codes[doc] - 1;
        return codes[doc] === 0 ? 0 : 1;
      }
      const [from, to] = [starts[doc], starts[doc + 1]];
      if (to - from > FEW_VALUES) return distinct(from, to, (slot) => codes[slot] - 1, out);
      let count = 0;
      for (let slot = from; slot < to; slot++) count = once(codes[slot] - 1, out, count);
      return count;
    },
    fill: starts === null ? (docs, count, out) => fillOrdinals(codes, docs, count, out) : null,
    key: (code) => Buffer.from(column.bytesOf(code)).toString('latin1'),
    count(matches) {
      if (size > DENSE_CODES) return null;
      const counts = countValues(column, postings(), matches);
      if (counts !== null || starts !== null) return counts;
      return loopsOf(column.arena)
        .countCodes(codes, matches, null, size + 1)
        .subarray(1);
    },
  };
}

function narrowCoder(column: NumericColumn): Coder {
  const codes = column.codes!;
  const { starts, present, base, gcd } = column;
  const size = Number((column.max - base) / gcd) + 1;
  return {
    size,
    ordered: true,
    read: slotReader(column, (slot) => codes[slot]),
    fill: slotFiller(column, (docs, count, out) => takeCodes(codes, docs, count, out)),
    key: (code) => base + gcd * BigInt(code),
    count(matches) {
      if (starts !== null || size > DENSE_CODES) return null;
      return loopsOf(column.arena).countCodes(codes, matches, present, size);
    },
  };
}

/** Codes as values come, of what `bucketOf` makes of a value. */
export function wideCoder(column: NumericColumn, bucketOf: (value: bigint) => bigint): Coder {
  const known = new Map<bigint, number>();
  const keys: bigint[] = [];
  const { wide, codes, base, gcd } = column;
  const valueAt = (slot: number) => wide?.[slot] ?? base + gcd * BigInt(codes![slot]);
  const codeAt = (slot: number) => {
    const key = bucketOf(valueAt(slot));
    let code = known.get(key);
    if (code === undefined) {
      code = keys.push(key) - 1;
      known.set(key, code);
    }
    return code;
  };
  return {
    size: Number.POSITIVE_INFINITY,
    ordered: false,
    read: slotReader(column, codeAt),
    fill: null,
    key: (code) => keys[code],
    count: () => null,
  };
}

/** Reads a numeric column's documents by a function of their slots. */
export function slotReader<Code extends number | bigint>(
  { present, starts }: NumericColumn,
  codeAt: (slot: number) => Code,
): (doc: number, out: Code[]) => number {
  return (doc, out) => {
    if ((present[doc >> 5] & (1 << (doc & 31))) === 0) return 0;
    if (starts === null) {
      out[0] = codeAt(doc);
      return 1;
    }
    const [from, to] = [starts[doc], starts[doc + 1]];
    if (to - from > FEW_VALUES) return distinct(from, to, codeAt, out);
    let count = 0;
    for (let slot = from; slot < to; slot++) count = once(codeAt(slot), out, count);
    return count;
  };
}

/** A `fill` of a column, from one that takes every document for one with a value. */
export function slotFiller(
  { present, starts }: NumericColumn,
  take: NonNullable<Coder['fill']>,
): Coder['fill'] {
  if (starts !== null) return null;
  return (docs, count, out) => {
    take(docs, count, out);
    for (let i = 0; i < count; i++) {
      const doc = docs[i];
      if ((present[doc >> 5] & (1 << (doc & 31))) === 0) out[i] = -1;
    }
  };
}

function fillOrdinals(codes: Codes, docs: Int32Array, count: number, out: Int32Array): void {
  takeCodes(codes, docs, count, out);
  for (let i = 0; i < count; i++) out[i]--;
}

/** Documents with more values than this have theirs told apart by a set, not one by one. */
const FEW_VALUES = 32;

/** The codes of slots from .. to, each once. */
function distinct<Code extends number | bigint>(
  from: number,
  to: number,
  codeAt: (slot: number) => Code,
  out: Code[],
): number {
  const seen = new Set<Code>();
  for (let slot = from; slot < to; slot++) seen.add(codeAt(slot));
  let count = 0;
  for (const code of seen) out[count++] = code;
  return count;
}

/** A document counts once in a bucket, however often it has its value. */
export function once<Code extends number | bigint>(code: Code, out: Code[], count: number): number {
  for (let i = 0; i < count; i++) if (out[i] === code) return count;
  out[count] = code;
  return count + 1;
}
