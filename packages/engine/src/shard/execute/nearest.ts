/**
 * The k nearest documents of a shard. Filters, the tenant filter and deletes decide first which
 * documents there are, so k come back wherever k are left. Ties in distance are ordered by key.
 */
import type { Deadline } from '../../base/time/deadline.ts';
import { andNot, fillAll } from '../../bitmap/bitmap.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { FieldPlan, VectorPlan } from '../../schema/field-plan.ts';
import type { WindowLayout } from '../../schema/windows.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { mapCold } from '../../storage/cold-file.ts';
import type { ColdSearches } from '../../vector/cold-candidates.ts';
import { scoreOf } from '../../vector/similarity.ts';
import type { NearDoc, NearDocs, NearestSettings, SearchedSegment } from '../shard.ts';
import type { FilterCache } from './filter-cache.ts';
import { Narrowing } from './narrowing.ts';
import { reachableSegments } from './reachable.ts';
import { scratchOf } from './scratch.ts';

/** A field of vectors. */
export interface VectorField {
  readonly plan: FieldPlan;
  readonly vector: VectorPlan;
}

/** A VECTOR field's plan with its vectors' plan. */
export function withVector(plan: FieldPlan): VectorField {
  if (plan.vector === undefined) throw new TypeError(`${plan.name} is no VECTOR field`);
  return { plan, vector: plan.vector };
}

/** What restricts a search for the nearest documents, and how long it may take. */
export interface NearestScope {
  /** Clauses that every document has to match. */
  readonly narrowing: readonly Clause[];
  /** How the index is cut into windows; null: it has none. */
  readonly windows: WindowLayout | null;
  readonly filters: FilterCache | null;
  readonly deadline: Deadline;
  readonly cold: ColdSearches;
}

/** The nearest documents, nearest first. */
export function nearestDocs(
  segments: readonly SegmentReader[],
  { plan, vector }: VectorField,
  query: Float32Array,
  { k, exact, ef, min_score: least }: NearestSettings,
  { narrowing, windows, filters, deadline, cold }: NearestScope,
): NearDocs {
  if (narrowing.some(({ kind }) => kind === 'none')) return { docs: [], searched: [] };
  const narrowed = new Narrowing(narrowing, filters, deadline);
  const found: NearDoc[] = [];
  const searched: SearchedSegment[] = [];
  const { search } = vector;
  const reachable = reachableSegments(windows, narrowing);
  mapCold(segments, (reader, segment) => {
    if (!reachable(reader)) return;
    const vectors = reader.vectors(plan.id, true);
    if (vectors === null || vectors.count === 0) return;
    const { bitmaps } = scratchOf(reader, deadline);
    const whole = narrowing.length === 0 && reader.deleted === null;
    const accept = whole ? null : bitmaps.takeDirty();
    if (accept !== null) {
      fillAll(accept, reader.docs);
      narrowed.apply(accept, reader, scratchOf(reader, deadline));
      if (reader.deleted !== null) andNot(accept, reader.deleted);
    }
    const options = { accept, exact, ef, search, deadline, cold };
    const { docs, similarities, choice } = vectors.nearest(query, k, options);
    if (accept !== null) bitmaps.give(accept);
    searched.push({ segment, ...choice });
    for (let i = 0; i < docs.length; i++) {
      const similarity = similarities[i];
      const score = scoreOf(vector.similarity, similarity);
      found.push({ segment, doc: docs[i], similarity, score });
    }
  });
  const keyOf = ({ segment, doc }: NearDoc): Uint8Array => segments[segment].keys.key(doc);
  const best = firstNear(found, k, keyOf);
  const docs = least === undefined ? best : best.filter(({ score }) => score >= least);
  return { docs, searched };
}

/** The first k: nearest first, and of those at the distance of the last as many as fit, by key. */
export function firstNear<T extends { readonly similarity: number }>(
  found: readonly T[],
  k: number,
  keyOf: (near: T) => Uint8Array,
): readonly T[] {
  const sorted = found.toSorted((a, b) => b.similarity - a.similarity);
  if (sorted.length <= k) return sorted;
  const last = sorted[k - 1].similarity;
  const nearer = sorted.filter(({ similarity }) => similarity > last);
  const level = sorted.filter(({ similarity }) => similarity === last);
  const byKey = mapCold(level, (near) => ({ near, key: keyOf(near) }));
  byKey.sort((a, b) => Buffer.compare(a.key, b.key));
  return [...nearer, ...byKey.slice(0, k - nearer.length).map(({ near }) => near)];
}
