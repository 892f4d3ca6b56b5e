/**
 * The stage between rows and the writer that turns the texts of VECTOR fields into vectors:
 *   1. `rowsToBlock` has put the texts there, as for a TEXT field
 *   2. each text becomes a vector by the field's model, through its cache
 *   3. documents without text, or with text of which the model knows nothing, have none; they are
 *      counted, as are those whose own vector is missing
 */
import type { VectorCounts } from '@lakehouse-search/contract';
import type { DocumentBlock, FieldBlock } from '../../schema/field-block.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import { type ModelPlaces, ModelsInUse } from './models-in-use.ts';
import { addVectorCounts, vectorBlock } from './vector-block.ts';

/** What stops the work between portions of texts, and what receives its progress. */
export interface StageWork {
  readonly signal?: AbortSignal;
  readonly report?: (counts: VectorCounts) => void;
}

/** Makes blocks ready for an index. Close it when done. */
export class VectorStage {
  readonly #models: ModelsInUse;
  #counts: VectorCounts = {};

  constructor(places: ModelPlaces) {
    this.#models = new ModelsInUse(places);
  }

  /**
   * The plans with the checksums of the models that are there now: for an index that is built anew.
   * Throws model_unavailable, invalid_definition.
   */
  async withModels(plans: readonly FieldPlan[]): Promise<readonly FieldPlan[]> {
    const named: FieldPlan[] = [];
    for (const plan of plans) {
      if (!hasModel(plan)) named.push(plan);
      else named.push(withChecksum(plan, (await this.#models.identity(plan)).checksum));
    }
    return named;
  }

  /**
   * A block with its texts embedded. Throws model_unavailable, model_mismatch, interrupted,
   * io_error.
   */
  async complete<T extends Pick<DocumentBlock, 'docs' | 'fields'>>(
    plans: readonly FieldPlan[],
    block: T,
    work: StageWork = {},
  ): Promise<T> {
    const vectors = plans.filter(({ vector }) => vector !== undefined);
    if (vectors.length === 0) return block;
    const fields = new Map(block.fields);
    for (const plan of vectors) {
      const field = await this.#embedded(plan, block.fields.get(plan.name), work);
      if (field !== undefined) fields.set(plan.name, field);
      const missing = block.docs - (field?.kind === 'vector' ? field.scales.length : 0);
      if (missing > 0) this.#count({ without_vector: { [plan.name]: missing } });
    }
    return { ...block, fields };
  }

  /** What was done since it was made, or since `takeCounts`. */
  get counts(): VectorCounts {
    return this.#counts;
  }

  /** The counts, which begin anew. */
  takeCounts(): VectorCounts {
    const counts = this.#counts;
    this.#counts = {};
    return counts;
  }

  /** All rows of the index have gone through. */
  async endBuild(): Promise<void> {
    await this.#models.endBuild();
  }

  async close(): Promise<void> {
    await this.#models.close();
  }

  async #embedded(
    plan: FieldPlan,
    field: FieldBlock | undefined,
    { signal, report }: StageWork,
  ): Promise<FieldBlock | undefined> {
    if (field?.kind !== 'bytes') return field;
    const model = await this.#models.of(plan);
    const { starts, bytes } = field;
    const offsets = field.offsets.subarray(0, starts[starts.length - 1] + 1);
    const between = (computed: number) => {
      refuseAborted(signal);
      report?.(addVectorCounts(this.#counts, { embeddings: { reused: 0, computed } }));
    };
    const { reused, computed, ...fixed } = await model.vectors({ offsets, bytes }, between);
    this.#count({ embeddings: { reused, computed } });
    return vectorBlock(starts, plan.vector!.dims, fixed);
  }

  #count(more: VectorCounts): void {
    this.#counts = addVectorCounts(this.#counts, more);
  }
}

const hasModel = ({ vector }: FieldPlan): boolean => vector !== undefined && vector.model !== null;

function withChecksum(plan: FieldPlan, checksum: string): FieldPlan {
  return { ...plan, vector: { ...plan.vector!, checksum } };
}
