import { forEachBit, setBit } from '../../bitmap/bitmap.ts';
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../../columnar/ordinal-column.ts';
import type { ByteBound, NumberRange } from '../bind/clause.ts';

/**
 * Ranges that are looked up one after another; longer lists of single values go over the documents
 * once.
 */
const FEW_RANGES = 16;

/** Sets the bits of documents with a value in any of the ranges. */
export function fillNumbers(
  column: NumericColumn,
  ranges: readonly NumberRange[],
  bits: Int32Array,
): void {
  if (ranges.length <= FEW_RANGES || !ranges.every((range) => range.lower === range.upper)) {
    for (const { lower, upper } of ranges) column.fillRange(lower, upper, bits);
    return;
  }
  const wanted = new Set(ranges.map((range) => range.lower));
  forEachBit(column.present, (doc) => {
    for (let i = column.count(doc) - 1; i >= 0; i--) {
      if (!wanted.has(column.orderedAt(doc, i))) continue;
      setBit(bits, doc);
      return;
    }
  });
}

/** Whether a document has a value in any of the ranges; undefined for many. */
export function numbersTest(
  column: NumericColumn,
  ranges: readonly NumberRange[],
): ((doc: number) => boolean) | undefined {
  if (ranges.length > FEW_RANGES) return undefined;
  const tests = ranges.map(({ lower, upper }) => column.rangeTest(lower, upper));
  const [only] = tests;
  if (tests.length === 1) return only;
  return (doc) => tests.some((test) => test(doc));
}

/** Sets the bits of documents with a value between the bounds, compared as bytes. */
export function fillSpan(
  column: OrdinalColumn,
  lower: ByteBound | undefined,
  upper: ByteBound | undefined,
  bits: Int32Array,
): void {
  const from = lower === undefined ? 0 : ordinalFrom(column, lower.bytes, !lower.inclusive);
  const to = upper === undefined ? column.size : ordinalFrom(column, upper.bytes, upper.inclusive);
  if (from < to) column.fillOrds(from, to - 1, bits);
}

/** The first ordinal at or (`beyond`) after a string. */
function ordinalFrom(column: OrdinalColumn, bytes: Uint8Array, beyond: boolean): number {
  if (beyond) {
    const at = column.find(bytes);
    if (at >= 0) return at + 1;
  }
  return column.lowerBound(bytes);
}
