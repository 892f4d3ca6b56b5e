/** How near a document is to a vector, and why it is not among the nearest, in words. */
import { withCommas } from '@lakehouse-search/contract/internal';
import type { BoundVector } from '../../query/bind/precomputed.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { scoreOf } from '../../vector/similarity.ts';
import { withVector } from '../execute/nearest.ts';
import type { NearerDocs } from '../shard.ts';
import { searchWords } from './explain-search.ts';
import type { Subject } from './subject.ts';

const NAMES = { cosine: 'cosine', dot: 'dot product', l2: 'squared distance' } as const;

type SearchedDoc = Pick<Subject, 'reader' | 'doc' | 'guarded'>;

/** How a field compares two vectors, as people read it: `cosine 0.7312`. */
function measured({ vector }: FieldPlan, similarity: number): string {
  const metric = vector?.similarity ?? 'cosine';
  const shown = metric === 'l2' ? -similarity : similarity;
  return `${NAMES[metric]} ${Number(shown.toPrecision(6))}`;
}

/** The raw similarity of the document; null: it has no vector, or there is none to compare with. */
export function similarityTo(
  { field, vector }: Pick<BoundVector, 'field' | 'vector'>,
  { reader, doc }: Pick<Subject, 'reader' | 'doc'>,
): number | null {
  if (vector === null) return null;
  return reader.vectors(field.id, true)?.similarity(vector, doc) ?? null;
}

/** How near the document is. */
export function similarityWords(near: BoundVector, subject: SearchedDoc): string {
  const similarity = similarityTo(near, subject);
  const own = similarity === null ? 'no vector' : measured(near.field, similarity);
  return `${own}${methodWords(near, subject)}`;
}

/** `; ` and how the document's segment was searched; nothing if there is no vector to search for. */
function methodWords({ vector, searched }: BoundVector, { reader, guarded }: SearchedDoc): string {
  return vector === null ? '' : `; ${searchWords(searched.get(reader.id), guarded)}`;
}

/** Why a document of a `knn` clause is not among the nearest, and how they were searched. */
export function notNearWords(near: BoundVector, subject: Subject): string {
  const nearer = () => subject.elsewhere.nearer(near.id);
  return `${farWords(near, similarityTo(near, subject), nearer)}${methodWords(near, subject)}`;
}

/**
 * Why a document is not among the nearest. Filters are not mentioned: the explanation has a reason
 * of its own for them. `nearer` is called if the rank decides; null: not known yet.
 */
export function farWords(
  { field, vector, k, min_score: least }: Omit<BoundVector, 'id' | 'searched'>,
  similarity: number | null,
  nearer: () => Omit<NearerDocs, 'id'> | null,
): string {
  if (vector === null) return 'the model knows no word of the text, so no document is near it';
  if (similarity === null) {
    return `it has no vector in ${field.name} (its text is empty or unknown)`;
  }
  const own = measured(field, similarity);
  const score = scoreOf(withVector(field).vector.similarity, similarity);
  if (least !== undefined && score < least) return `${own} scores ${score}, less than ${least}`;
  const { count, rank, last } = nearer() ?? { count: 0, rank: null, last: null };
  const place =
    rank === null ? `behind the first ${withCommas(count)}` : `rank ${withCommas(rank)}`;
  if (rank !== null && rank <= k) {
    return `${own} has ${place} of the nearest, but the graph missed it: "exact" finds it`;
  }
  const limit = last === null ? '' : `; number ${withCommas(k)} has ${measured(field, last)}`;
  return `not among the nearest ${withCommas(k)}: ${place}, ${own}${limit}`;
}
