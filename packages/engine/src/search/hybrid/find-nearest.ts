/** Documents near a vector, from all shards: of a `knn` clause, a semantic search, a hybrid arm. */

import type { CheckedNearest } from '@lakehouse-search/contract/internal';
import { DEFAULT_MODEL } from '../../embed/embedder.ts';
import { firstNear, type VectorField } from '../../shard/execute/nearest.ts';
import { filterParts } from '../../shard/request/bind-request.ts';
import type {
  DocAddress,
  MarkedWords,
  NearDoc,
  NearestSettings,
  PrecomputedDocs,
  SearchedSegment,
  SegmentDocs,
  ShardFilter,
  ShardQuery,
} from '../../shard/shard.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { queryVector } from './query-vector.ts';

/** A scored document of some shard. */
export interface ScoredDoc extends DocAddress {
  readonly shard: number;
  readonly score: number;
}

/** A near document of some shard. */
export type ShardNearDoc = NearDoc & { readonly shard: number };

/** The filters of a search for the nearest documents, as each shard takes them. */
export type FiltersByShard = readonly (readonly ShardFilter[])[];

/** The filter of a request, as each shard takes it. */
export function filtersOf(queries: readonly ShardQuery[]): FiltersByShard {
  return queries.map(({ search, precomputed }): readonly ShardFilter[] => {
    if (search.request.filter === undefined) return [];
    return [{ request: filterParts(search.request), precomputed: precomputed?.filter }];
  });
}

/** What a search for the nearest documents found. */
export interface Near {
  readonly field: VectorField;
  readonly docs: readonly ShardNearDoc[];
  /** How the segments of each shard were searched. */
  readonly searched: readonly (readonly SearchedSegment[])[];
  /** The vector; null: the model knows no word of the text, and nothing is near it. */
  readonly vector: Float32Array | null;
  readonly nearest: CheckedNearest;
  readonly filters: FiltersByShard;
}

/** The nearest documents of a request among those that all filters match. */
export async function findNear(
  context: SearchContext,
  fan: FanOut,
  field: VectorField,
  nearest: CheckedNearest,
  filters: FiltersByShard,
): Promise<Near> {
  const vector = await queryVector(context, field, nearest);
  const found = { field, vector, nearest, filters };
  return { ...found, ...(await nearestOf(context, fan, found, nearest)) };
}

/** The nearest documents to a vector that is known already, with settings of the caller. */
export async function nearestOf(
  { deadline, tenant }: SearchContext,
  fan: FanOut,
  { field, vector, filters }: Pick<Near, 'field' | 'vector' | 'filters'>,
  settings: NearestSettings,
): Promise<Pick<Near, 'docs' | 'searched'>> {
  if (vector === null) return { docs: [], searched: [] };
  const answers = await fan.ask((shard, number) => {
    const request = {
      ...{ field: field.plan.name, vector, settings, filters: filters[number] },
      ...(tenant === undefined ? {} : { tenant }),
      ...{ keys: !fan.alone, time: deadline.left },
    };
    return shard.nearest(request, deadline.signal);
  });
  const searched = answers.map((answer) => answer?.searched ?? []);
  const found = answers.flatMap((answer, shard) =>
    (answer?.docs ?? []).map((doc) => ({ ...doc, shard })),
  );
  if (fan.alone) return { docs: found, searched };
  return { docs: firstNear(found, settings.k, ({ key }) => key as Uint8Array), searched };
}

/** The words of a semantic query's text, which hits are marked with; null: it has no text. */
function nearWords({ query_text: text }: CheckedNearest): MarkedWords | null {
  return text === undefined ? null : { text, fields: null };
}

/** The documents near a vector by shard; `id`: that of `NearVector`. */
export function nearByShard(shards: number, near: Near, id: string): readonly PrecomputedDocs[] {
  const { field, nearest, vector, docs, searched } = near;
  const { k, min_score } = nearest;
  const label = `nearest ${k} by ${field.plan.name}`;
  const least = min_score === undefined ? {} : { min_score };
  const shown = { id, field: field.plan.name, vector, k, ...least };
  const byShard = docsByShard(shards, label, docs, nearWords(nearest));
  return byShard.map((found, shard) => {
    return { ...found, near: { ...shown, searched: searched[shard] ?? [] } };
  });
}

/** Scored documents, each once, by shard, in the order in which clauses read them. */
export function docsByShard(
  shards: number,
  label: string,
  found: readonly ScoredDoc[],
  words: MarkedWords | null,
): readonly PrecomputedDocs[] {
  const byShard = Map.groupBy(found, ({ shard }) => shard);
  return Array.from({ length: shards }, (_, shard) => {
    const bySegment = Map.groupBy(byShard.get(shard) ?? [], ({ segment }) => segment);
    const segments = [...bySegment].map(([segment, docs]): SegmentDocs => {
      const rising = docs.toSorted((a, b) => a.doc - b.doc);
      return {
        segment,
        docs: Int32Array.from(rising, ({ doc }) => doc),
        scores: Float64Array.from(rising, ({ score }) => score),
      };
    });
    return { label, segments, words };
  });
}

/** Best similarity under which hits of the included model have, by experience, another subject. */
const WEAK_SIMILARITY = 0.25;

/** Notes on what is near to a text: nothing, or hits that are not about it. */
export function nearNotes({ field, vector, docs, nearest }: Near, text: string): readonly string[] {
  if (nearest.query_vector !== undefined) return [];
  if (vector === null) return [`the model knows no word of ${quoted(text)}: nothing is near it`];
  const { model, similarity } = field.vector;
  if (docs.length === 0 || model !== DEFAULT_MODEL || similarity !== 'cosine') return [];
  const best = 2 * docs[0].score - 1;
  if (best >= WEAK_SIMILARITY) return [];
  const why = `the nearest row has a similarity of ${best.toFixed(2)}`;
  return [`weak: ${why}, and the model "${model}" knows English only`];
}

/** A text for a note. */
export const quoted = (text: string): string =>
  `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
