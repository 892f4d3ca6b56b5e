/** Documents of a `knn` clause or a semantic search: from what is asked to those with scores. */

import type { CheckedNearest } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import type { Clause } from '../../query/bind/clause.ts';
import type { QueryFields } from '../../query/bind/fields.ts';
import { type GivenDocs, givenDocs } from '../../query/bind/given.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { SearchContext } from '../context.ts';
import { lexicalFields, wordsClause } from './lexical-arm.ts';
import { type NearDoc, nearestDocs } from './nearest.ts';
import { queryVector, type VectorField } from './query-vector.ts';

/** What a search by meaning found. */
export interface Near {
  readonly docs: readonly NearDoc[];
  /** The vector that was asked; null: the model knows nothing of the text. */
  readonly vector: Float32Array | null;
  /** What the documents had to match to be looked at. */
  readonly narrowing: readonly Clause[];
}

/** The nearest documents of what is asked, among those that all of `narrowing` match. */
export async function findNear(
  context: SearchContext,
  field: VectorField,
  nearest: CheckedNearest,
  narrowing: readonly Clause[],
): Promise<Near> {
  const vector = await queryVector(context, field, nearest);
  const docs = vector === null ? [] : nearestDocs(context, field, vector, nearest, narrowing);
  return { docs, vector, narrowing };
}

/** Those documents as a clause has them. */
export function nearGiven(
  { snapshot, mapping }: SearchContext,
  { docs, vector, narrowing }: Near,
  { plan: field }: VectorField,
  { k, query_text: text, min_score }: CheckedNearest,
  fields: QueryFields,
): GivenDocs {
  const words = text === undefined ? null : markedWords(text, mapping, fields);
  const near = { field, vector, k, min_score, narrowing };
  return givenDocs(`nearest ${k} by ${field.name}`, docs, snapshot.segments, words, near);
}

/** The words of a text that hits are marked with; null for more words than a query may have. */
export function markedWords(text: string, mapping: Mapping, fields: QueryFields): Clause | null {
  try {
    return wordsClause(text, lexicalFields(mapping, fields, undefined), fields);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'limit_exceeded') return null;
    throw error;
  }
}

/** What to tell of a text that the model knows nothing of. */
export function unknownText(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return `the model knows no word of "${shown}": nothing is near it`;
}
