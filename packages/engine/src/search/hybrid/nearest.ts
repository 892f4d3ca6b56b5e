/**
 * The k nearest documents of a snapshot. Filters, the tenant's guard and deletes decide first which
 * documents there are: k come back wherever k are left. Documents at the same distance stand by
 * key.
 */

import type { CheckedNearest } from '@lakehouse-search/contract';
import { Deadline } from '../../base/deadline.ts';
import { andNot, fillAll } from '../../bitmap/bitmap.ts';
import type { IndexSnapshot } from '../../index/index-snapshot.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { ScoredDoc } from '../../query/bind/given.ts';
import { scoreOf } from '../../vector/similarity.ts';
import type { SearchContext } from '../context.ts';
import { Narrowing } from '../execute/narrowing.ts';
import { scratchOf } from '../execute/scratch.ts';
import type { VectorField } from './query-vector.ts';

/** A document, how near it is as its field compares, and the score of that. */
export interface NearDoc extends ScoredDoc {
  readonly similarity: number;
}

/** How many, and how hard to look. */
export type NearestSettings = Pick<CheckedNearest, 'k' | 'exact' | 'ef' | 'min_score'>;

/** The nearest documents that all of `narrowing` match, nearest first. */
export function nearestDocs(
  {
    snapshot,
    filters,
    deadline = new Deadline(),
  }: Pick<SearchContext, 'snapshot' | 'filters' | 'deadline'>,
  { plan, vector }: VectorField,
  query: Float32Array,
  { k, exact, ef, min_score: least }: NearestSettings,
  narrowing: readonly Clause[],
): readonly NearDoc[] {
  if (narrowing.some(({ kind }) => kind === 'none')) return [];
  const { segments } = snapshot;
  const narrowed = new Narrowing(narrowing, segments, filters ?? null, deadline);
  const found: NearDoc[] = [];
  segments.forEach((reader, segment) => {
    const vectors = reader.vectors(plan.id);
    if (vectors === null || vectors.count === 0) return;
    const { bitmaps } = scratchOf(reader, deadline);
    const whole = narrowing.length === 0 && reader.deleted === null;
    const accept = whole ? null : bitmaps.takeDirty();
    if (accept !== null) {
      fillAll(accept, reader.docs);
      narrowed.apply(accept, reader, scratchOf(reader, deadline));
      if (reader.deleted !== null) andNot(accept, reader.deleted);
    }
    const { docs, similarities } = vectors.nearest(query, k, { accept, exact, ef, deadline });
    if (accept !== null) bitmaps.give(accept);
    for (let i = 0; i < docs.length; i++) {
      const similarity = similarities[i]!;
      const score = scoreOf(vector.similarity, similarity);
      found.push({ segment, doc: docs[i]!, similarity, score });
    }
  });
  const best = firstByKey(found, k, snapshot);
  return least === undefined ? best : best.filter(({ score }) => score >= least);
}

/** The first k: nearest first, and of those at the distance of the last as many as fit, by key. */
function firstByKey(
  found: readonly NearDoc[],
  k: number,
  { segments }: IndexSnapshot,
): readonly NearDoc[] {
  const sorted = found.toSorted((a, b) => b.similarity - a.similarity);
  if (sorted.length <= k) return sorted;
  const last = sorted[k - 1]!.similarity;
  const nearer = sorted.filter(({ similarity }) => similarity > last);
  const level = sorted.filter(({ similarity }) => similarity === last);
  const keyOf = ({ segment, doc }: NearDoc): Uint8Array => segments[segment]!.keys.key(doc);
  const byKey = level.map((near) => ({ near, key: keyOf(near) }));
  byKey.sort((a, b) => Buffer.compare(a.key, b.key));
  return [...nearer, ...byKey.slice(0, k - nearer.length).map(({ near }) => near)];
}
