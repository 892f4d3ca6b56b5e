/** What is said of a document's nearness: how near it is, and those that stand before it. */
import { LIMITS } from '../../base/limits.ts';
import type { GivenNear } from '../../query/bind/given.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { scoreOf } from '../../vector/similarity.ts';
import { type NearDoc, nearestDocs } from '../hybrid/nearest.ts';
import { withVector } from '../hybrid/query-vector.ts';
import { type Subject, whole } from './subject.ts';

const NAMES = { cosine: 'cosine', dot: 'dot product', l2: 'squared distance' } as const;

/** How a field compares two vectors, as people read it: `cosine 0.7312`. */
function measured({ vector }: FieldPlan, similarity: number): string {
  const metric = vector?.similarity ?? 'cosine';
  const shown = metric === 'l2' ? -similarity : similarity;
  return `${NAMES[metric]} ${Number(shown.toPrecision(6))}`;
}

/** The raw similarity of the document; null: it has no vector, or nothing is asked. */
export function similarityTo({ field, vector }: GivenNear, subject: Subject): number | null {
  if (vector === null) return null;
  return subject.reader.vectors(field.id)?.similarity(vector, subject.doc) ?? null;
}

/** How near the document is. */
export function similarityWords(near: GivenNear, subject: Subject): string {
  const similarity = similarityTo(near, subject);
  return similarity === null ? 'no vector' : measured(near.field, similarity);
}

/** Why a document is not among the nearest. Nothing is said of what narrows: that is told apart. */
export function farWords(near: GivenNear, subject: Subject): string {
  const { field, vector, k, min_score: least } = near;
  if (vector === null) return 'the model knows no word of the text: nothing is near it';
  const similarity = similarityTo(near, subject);
  if (similarity === null)
    return `it has no vector in ${field.name} (its text is empty or unknown)`;
  const own = measured(field, similarity);
  const score = scoreOf(withVector(field).vector.similarity, similarity);
  if (least !== undefined && score < least) return `${own} scores ${score}, less than ${least}`;
  const nearer = allNear(near, subject);
  const last = nearer[Math.min(k, nearer.length) - 1];
  const rank = 1 + nearer.findIndex((doc) => isSubject(doc, subject));
  const place = rank > 0 ? `rank ${whole(rank)}` : `behind the first ${whole(nearer.length)}`;
  const limit =
    last === undefined ? '' : `; number ${whole(k)} has ${measured(field, last.similarity)}`;
  return `not among the nearest ${whole(k)}: ${place}, ${own}${limit}`;
}

function allNear({ field, vector, narrowing }: GivenNear, { snapshot }: Subject) {
  const settings = { k: LIMITS.nearestDocs, exact: true };
  return nearestDocs({ snapshot }, withVector(field), vector!, settings, narrowing);
}

const isSubject = ({ segment, doc }: NearDoc, { snapshot, reader, doc: own }: Subject): boolean =>
  doc === own && snapshot.segments[segment] === reader;
