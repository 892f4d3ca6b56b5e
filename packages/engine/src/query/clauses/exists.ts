import type { Deadline } from '../../base/time/deadline.ts';
import { fillAll, setBit } from '../../bitmap/bitmap.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { ClauseOf, LeafModule } from './module.ts';

/** What marking a term's documents counts as, in steps of a deadline. */
const TERM_STEPS = 32;

/** Documents with a value. */
export const existsModule: LeafModule<ClauseOf<'exists'>> = {
  key: () => '',
  leaf: ({ field, boost }, { reader, deadline }) => ({
    constant: boost,
    fill: (bits) => fillExists(reader, field, bits, deadline),
  }),
  demand: ({ field }, segment) => segment.demandColumn(field),
};

/** Documents with a value: one in the column, a vector, or a token. */
function fillExists(
  reader: SegmentReader,
  field: FieldPlan,
  bits: Int32Array,
  deadline: Deadline,
): void {
  const vectors = field.vector === undefined ? null : reader.vectors(field.id, true);
  for (let slot = 0; slot < (vectors?.count ?? 0); slot++) setBit(bits, vectors!.docAt(slot));
  const column = reader.numeric(field.id) ?? reader.ordinals(field.id);
  if (column !== null) {
    column.fillHas(bits);
    return;
  }
  const inverted = reader.inverted(field.id);
  if (inverted === null) return;
  if (inverted.docsWithField === reader.docs) fillAll(bits, reader.docs);
  else if (inverted.text) fillLengths(inverted.codes, bits);
  else {
    const terms = inverted.terms();
    while (terms.next()) {
      deadline.spend(TERM_STEPS);
      inverted.fill(terms.info(), bits);
    }
  }
}

function fillLengths(codes: Uint8Array, bits: Int32Array): void {
  for (let doc = 0; doc < codes.length; doc++) {
    if (codes[doc] !== 0) bits[doc >> 5] |= 1 << (doc & 31);
  }
}
