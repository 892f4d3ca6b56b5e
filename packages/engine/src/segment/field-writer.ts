import type { Steps } from '../base/steps.ts';
import { NumericWriter } from '../columnar/numeric-writer.ts';
import { OrdinalWriter } from '../columnar/ordinal-writer.ts';
import { InvertedWriter } from '../inverted/write/inverted-writer.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Directory } from '../storage/directory.ts';
import { VectorWriter } from '../vector/vector-writer.ts';
import { type Component, writeComponent } from './entry.ts';
import { writingVectors } from './vector-components.ts';

/** Documents take so many times their memory while they are written as a segment. */
export const ENCODING_FACTOR = 2.2;

/** Collects the values of one field for the structures of its plan; stored values aside. */
export class FieldWriter {
  readonly plan: FieldPlan;
  readonly #inverted: InvertedWriter | null;
  readonly #column: NumericWriter | OrdinalWriter | null;
  readonly #vectors: VectorWriter | null;

  constructor(plan: FieldPlan) {
    this.plan = plan;
    this.#inverted = plan.inverted === null ? null : new InvertedWriter(plan.inverted);
    this.#column = columnWriter(plan);
    this.#vectors = plan.vector === undefined ? null : new VectorWriter(plan.vector);
  }

  /**
   * Bytes of memory held. Vectors count less: they are written as they are, while other structures
   * take memory for encoding.
   */
  get bytes(): number {
    const { bytes: inverted = 0 } = this.#inverted ?? {};
    return inverted + (this.#column?.bytes ?? 0) + (this.#vectors?.bytes ?? 0) / ENCODING_FACTOR;
  }

  /** Adds `docs` documents from number `first` on; null: they have no value. */
  add(first: number, docs: number, field: FieldBlock | null): void {
    this.#column?.add(docs, field);
    this.#vectors?.add(docs, field);
    if (field !== null) this.#inverted?.add(first, docs, field);
  }

  /** The component files of the field in a segment of `docs` documents, written in steps. */
  *finishing(docs: number, directory: Directory, segment: string): Steps<readonly Component[]> {
    const { plan } = this;
    const components: Component[] = [];
    if (this.#inverted !== null && plan.inverted !== null) {
      const component = { kind: plan.inverted.kind, field: plan.id };
      const parts = yield* this.#inverted.finishing(docs);
      components.push(writeComponent(directory, segment, component, parts));
      yield 1;
    }
    const column = this.#column;
    if (column !== null && plan.column !== null) {
      const component = { kind: plan.column, field: plan.id };
      const parts = column instanceof OrdinalWriter ? yield* column.finishing() : column.finish();
      components.push(writeComponent(directory, segment, component, parts));
      yield 1;
    }
    if (this.#vectors !== null) {
      components.push(...(yield* writingVectors(directory, segment, plan.id, this.#vectors)));
    }
    return components;
  }
}

/** The writer of a field's column, or null where its plan has none. */
export function columnWriter(
  plan: Pick<FieldPlan, 'column' | 'type'>,
): NumericWriter | OrdinalWriter | null {
  if (plan.column === 'numeric') return new NumericWriter(plan.type === 'DOUBLE');
  return plan.column === 'ordinal' ? new OrdinalWriter() : null;
}
