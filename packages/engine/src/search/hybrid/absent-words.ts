import { DEFAULT_MODEL } from '../../embed/embedder.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { VectorField } from '../../shard/execute/nearest.ts';
import { wordsClause } from '../../shard/request/precomputed.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { areFound } from '../statistics.ts';

/** Words that are looked up: short ones seldom are the subject of a text. */
const WORDS = /[\p{L}\p{N}]{5,}/gu;
const LOOKED_UP = 12;
/** Words that a note names. */
const NAMED = 3;

/**
 * A note on words of a text that are in no row and not in the vocabulary of the model: the nearest
 * rows may lack the subject of the text.
 */
export async function absentWords(
  context: SearchContext,
  fan: FanOut,
  text: string,
  fields: readonly FieldPlan[],
  { vector: { model } }: VectorField,
): Promise<readonly string[]> {
  const words = [...new Set(text.match(WORDS))].slice(0, LOOKED_UP);
  if (fields.length === 0 || words.length === 0) return [];
  const clauses = words.map((word) => wordsClause(word, fields, context.mapping));
  const found = await areFound(fan, context, clauses);
  const unknown = words.filter((_, i) => found[i] === false);
  if (model === null || unknown.length === 0) return [];
  const embedder = await context.openModel(model);
  const absent = unknown.filter((word) => embedder.hasWord?.(word) === false).slice(0, NAMED);
  if (absent.length === 0) return [];
  const listed = absent.map((word) => `"${word}"`).join(', ');
  const english = model === DEFAULT_MODEL ? ', which knows English only' : '';
  return [`perhaps weak: no row has ${listed}, nor has the model "${model}"${english}`];
}
