import { forEachBit, setBit } from '../../bitmap/bitmap.ts';
import { NumericColumn } from '../../columnar/numeric-column.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { collectDemands } from '../../storage/cold-file.ts';
import type { NumberRange } from '../bind/clause.ts';
import { NO_MATCHES } from '../weight/leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';

/** Any value of a numeric column in any of some ranges. */
export const numbersModule: LeafModule<ClauseOf<'numbers'>> = {
  key: ({ ranges }) => ranges.map(({ lower, upper }) => `${lower}..${upper}`).join(','),
  leaf({ field, ranges, boost }, { reader }) {
    const column = numbersColumn(reader, field, ranges);
    if (column === null) return NO_MATCHES;
    const fill = (bits: Int32Array) => fillNumbers(column, ranges, bits);
    const has = column.cold ? undefined : numbersTest(column, ranges);
    return { constant: boost, fill, ...(has === undefined ? {} : { has }) };
  },
  demand({ field, ranges }, reader) {
    const column = numbersColumn(reader, field, ranges);
    for (const { lower, upper } of ranges) {
      collectDemands(() => column?.needRange(lower, upper));
    }
  },
};

/** The column; of a cold file whole where it is not read range by range. */
function numbersColumn(
  reader: SegmentReader,
  { id }: FieldPlan,
  ranges: readonly NumberRange[],
): NumericColumn | null {
  if (isList(ranges)) return reader.numeric(id);
  const column = reader.column(id);
  return column instanceof NumericColumn ? column : null;
}

/**
 * Ranges that are looked up one after another; longer lists of single values go over the documents
 * once.
 */
const FEW_RANGES = 16;

const isList = (ranges: readonly NumberRange[]): boolean =>
  ranges.length > FEW_RANGES && ranges.every((range) => range.lower === range.upper);

/** Sets the bits of documents with a value in any of the ranges. */
function fillNumbers(
  column: NumericColumn,
  ranges: readonly NumberRange[],
  bits: Int32Array,
): void {
  if (!isList(ranges)) {
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
function numbersTest(
  column: NumericColumn,
  ranges: readonly NumberRange[],
): ((doc: number) => boolean) | undefined {
  if (ranges.length > FEW_RANGES) return undefined;
  const tests = ranges.map(({ lower, upper }) => column.rangeTest(lower, upper));
  const [only] = tests;
  if (tests.length === 1) return only;
  return (doc) => tests.some((test) => test(doc));
}
