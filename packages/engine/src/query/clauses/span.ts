import type { OrdinalColumn } from '../../columnar/ordinal-column.ts';
import type { ByteBound } from '../bind/clause.ts';
import { NO_MATCHES } from '../weight/leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';
import { bytesText } from './terms-leaf.ts';

/** Any value of a KEYWORD or IP between two bounds, compared as bytes. */
export const spanModule: LeafModule<ClauseOf<'span'>> = {
  key: ({ lower, upper }) => `${boundText(lower)}..${boundText(upper)}`,
  leaf({ field, lower, upper, boost }, { reader }) {
    const column = reader.ordinals(field.id);
    if (column === null) return NO_MATCHES;
    return { constant: boost, fill: (bits) => fillSpan(column, lower, upper, bits) };
  },
  demand: ({ field }, segment) => segment.demandColumn(field),
};

const boundText = (bound: ByteBound | undefined): string =>
  bound === undefined ? '*' : `${bound.inclusive ? '=' : ''}${bytesText(bound.bytes)}`;

/** Sets the bits of documents with a value between the bounds, compared as bytes. */
function fillSpan(
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
