/**
 * What a search by meaning is near to: a text's vector by its field's model, or one that is given.
 */

import { LhsError } from '@lakehouse-search/contract';
import type { CheckedNearest } from '@lakehouse-search/contract/internal';
import type { QueryFields } from '../../query/bind/fields.ts';
import { namedVectorField, vectorFields, vectorFieldsHint } from '../../query/bind/nearest.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { type VectorField, withVector } from '../../shard/execute/nearest.ts';
import type { SearchContext } from '../context.ts';

/** The VECTOR field that a request asks. Throws invalid_argument where it has to be named. */
export function vectorFieldOf(fields: QueryFields, name: string | undefined): VectorField {
  if (name !== undefined) return withVector(namedVectorField(fields, name));
  const all = vectorFields(fields);
  if (all.length === 1) return withVector(all[0]);
  const message =
    all.length === 0
      ? `index "${fields.index}" has no VECTOR field`
      : `"vector_field" is missing: index "${fields.index}" has ${all.length} VECTOR fields`;
  throw new LhsError('invalid_argument', message, { hint: vectorFieldsHint(fields) });
}

/**
 * The vector to be near to; null where the text has nothing that the model knows. Throws
 * invalid_argument (a vector that does not fit, a text where there is no model), model_unavailable
 * and model_mismatch.
 */
export async function queryVector(
  context: SearchContext,
  field: VectorField,
  { query_text: text, query_vector: given }: Pick<CheckedNearest, 'query_text' | 'query_vector'>,
): Promise<Float32Array | null> {
  const vector = given === undefined ? await embedded(context, field, text!) : own(given, field);
  return field.vector.similarity === 'cosine' && vector !== null ? normalised(vector) : vector;
}

/**
 * Throws what `queryVector` throws of the request itself, for a vector that does not fit the field
 * and for a text of a field without a model.
 */
export function requireNear(field: VectorField, { query_vector: given }: CheckedNearest): void {
  if (given !== undefined) own(given, field);
  else modelOf(field);
}

function own(given: readonly number[], { plan, vector }: VectorField): Float32Array {
  const values = Float32Array.from(given);
  if (given.length !== vector.dims) {
    const message =
      `"query_vector" has ${given.length} numbers: field "${plan.name}" has vectors of ` +
      `${vector.dims}`;
    throw new LhsError('invalid_argument', message);
  }
  const odd = values.findIndex((value) => !Number.isFinite(value));
  if (odd >= 0) {
    const message = `"query_vector[${odd}]" is ${given[odd]}: beyond what 32 bits hold`;
    throw new LhsError('invalid_argument', message);
  }
  if (vector.similarity !== 'cosine' || values.some((value) => value !== 0)) return values;
  const message = '"query_vector" is all zeros: by cosine nothing is near it';
  throw new LhsError('invalid_argument', message);
}

async function embedded(
  context: SearchContext,
  field: VectorField,
  text: string,
): Promise<Float32Array | null> {
  const { plan } = field;
  const model = modelOf(field);
  const committed = committedModel(context, plan);
  const embedder = await context.openModel(model, committed?.checksum);
  const found = embedder.identity.checksum;
  if (committed !== null && committed.checksum !== found) {
    throw mismatch(context.mapping.definition.index, plan.name, committed, found);
  }
  const bytes = new TextEncoder().encode(text);
  const values = await embedder.embed({ offsets: Int32Array.of(0, bytes.length), bytes });
  return values.some((value) => value !== 0) ? values : null;
}

function modelOf({ plan, vector }: VectorField): string {
  if (vector.model !== null) return vector.model;
  const message = `field "${plan.name}" has no model: its column holds the vectors`;
  throw new LhsError('invalid_argument', message, { hint: 'send "query_vector"' });
}

/** The model that made the vectors of the index; null where none is told. */
function committedModel({ snapshot }: SearchContext, plan: FieldPlan) {
  return snapshot.commit.fields.find(({ id }) => id === plan.id)?.vector?.model ?? null;
}

/** Vectors of two models do not compare. */
function mismatch(
  index: string,
  field: string,
  { name, checksum }: { readonly name: string; readonly checksum: string },
  found: string,
): LhsError {
  const message =
    `field "${field}" was built with model "${name}" of checksum ` +
    `${checksum.slice(0, 12)}…; the model there now has ${found.slice(0, 12)}…`;
  return new LhsError('model_mismatch', message, {
    hint: 'put the former model back, or build the index with this one',
    next: [{ step: 'reindex', index }],
    details: { field, indexed: checksum, found },
  });
}

/** The same direction with length 1, as vectors of cosine fields are kept. */
function normalised(values: Float32Array): Float32Array {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  let squares = 0;
  for (const value of values) squares += (value / largest) ** 2;
  const length = Math.sqrt(squares);
  return values.map((value) => value / largest / length);
}
