import type { Type } from '@lakehouse-search/lake';
import { DEFAULT_MODEL, DEFAULT_MODEL_DIMS } from '../embed/embedder.ts';
import type { FieldDefinition } from './definition.ts';
import type { VectorPlan } from './field-plan.ts';

/** A plan, or what is wrong and which key of the field says so. */
export type VectorPlanning =
  | { readonly plan: VectorPlan; readonly fault?: undefined }
  | { readonly plan?: undefined; readonly fault: string; readonly key: 'type' | 'model' | 'dims' };

/**
 * How a VECTOR field is kept, made of columns of these types (which `columnFault` has allowed): a
 * list of floats holds the vectors themselves, texts take a model.
 */
export function planVector(field: FieldDefinition, types: readonly Type[]): VectorPlanning {
  const { dims, model, ...how } = field.vector!;
  const [column] = field.source;
  if (types[0].kind === 'list') {
    if (model !== undefined) {
      return { fault: `column "${column}" holds vectors: model does not go with it`, key: 'model' };
    }
    if (dims === undefined) {
      return {
        fault: `column "${column}" holds vectors: say how long they are, dims`,
        key: 'type',
      };
    }
    return { plan: { dims, ...how, model: null } };
  }
  return planEmbedded(field, model ?? DEFAULT_MODEL);
}

/**
 * How a VECTOR field of a shape is stored: a variant has no schema, so `model` decides whether the
 * path holds texts or vectors.
 */
export function planShapeVector(field: FieldDefinition): VectorPlanning {
  const { dims, model, ...how } = field.vector!;
  if (model !== undefined) return planEmbedded(field, model);
  if (dims !== undefined) return { plan: { dims, ...how, model: null } };
  const ways = `dims for arrays of numbers, model: ${DEFAULT_MODEL} for texts`;
  return { fault: `"${field.name}" needs ${ways}`, key: 'type' };
}

function planEmbedded(field: FieldDefinition, name: string): VectorPlanning {
  const given = field.vector!.dims ?? DEFAULT_MODEL_DIMS;
  if (name === DEFAULT_MODEL && given !== DEFAULT_MODEL_DIMS) {
    return { fault: defaultDimsFault(given), key: 'dims' };
  }
  return { plan: { ...field.vector!, dims: given, model: name } };
}

/** What is wrong with other dims for the default model. */
export function defaultDimsFault(dims: number): string {
  const own = DEFAULT_MODEL_DIMS;
  return `the default model gives ${own} numbers, not ${dims}: dims: ${own}, or leave it out`;
}
