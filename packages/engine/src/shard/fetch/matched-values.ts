import type { Highlight, Segment } from '@lakehouse-search/contract';
import { orderedFromDouble } from '../../base/arrays/ordered-double.ts';
import type { ByteBound, Clause, Leaf } from '../../query/bind/clause.ts';
import { positiveLeaves } from '../../query/clauses/registry.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { comparedText } from '../../schema/values/folded-keyword.ts';
import { fieldValueToJson } from '../../schema/values/values.ts';
import type { StoredValue } from '../../stored/stored-reader.ts';
import type { DocumentValues } from './document.ts';

/** A range of a query over a field with a column. */
export type RangeLeaf = Leaf & { readonly kind: 'numbers' | 'span' };

/** The ranges that a document may match because of. */
export const soughtRanges = (clause: Clause): readonly RangeLeaf[] =>
  [...positiveLeaves(clause)].filter((leaf) => leaf.kind === 'numbers' || leaf.kind === 'span');

/** The values of a document that are in these ranges, at most `count` of a field. */
export function matchedValues(
  ranges: readonly RangeLeaf[],
  values: DocumentValues,
  count: number,
): Highlight {
  const found = new Map<string, readonly (readonly Segment[])[]>();
  for (const plan of new Set(ranges.map(({ field }) => field))) {
    const own = ranges.filter(({ field }) => field === plan);
    const inside = values.of(plan).filter((value) => own.some((range) => isInside(range, value)));
    const texts = inside.slice(0, count).map((value) => String(fieldValueToJson(plan.type, value)));
    if (texts.length > 0)
      found.set(
        plan.name,
        texts.map((text) => [{ text, marked: true }]),
      );
  }
  return Object.fromEntries(found);
}

function isInside(range: RangeLeaf, value: StoredValue): boolean {
  if (range.kind === 'span') return isBetween(comparedBytes(range.field, value), range);
  const ordered = typeof value === 'number' ? orderedFromDouble(value) : (value as bigint);
  return range.ranges.some(({ lower, upper }) => lower <= ordered && ordered <= upper);
}

/** The bytes that a value of a KEYWORD or IP field is compared by. */
const comparedBytes = (field: FieldPlan, value: StoredValue): Uint8Array =>
  field.folded === undefined
    ? (value as Uint8Array)
    : Buffer.from(comparedText(field, Buffer.from(value as Uint8Array).toString()));

function isBetween(
  bytes: Uint8Array,
  { lower, upper }: { readonly lower?: ByteBound; readonly upper?: ByteBound },
): boolean {
  const isAt = (bound: ByteBound | undefined, sign: number): boolean => {
    if (bound === undefined) return true;
    const order = sign * Buffer.compare(bytes, bound.bytes);
    return order > 0 || (order === 0 && bound.inclusive);
  };
  return isAt(lower, 1) && isAt(upper, -1);
}
