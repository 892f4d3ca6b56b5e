/** The page of a plan, and the rows of large pages. */
import type { AggSpecs, Hit, JsonObject, SearchResponse } from '@lakehouse-search/contract';
import { mapInTurns } from '@lakehouse-search/engine/internal';
import { isOneChunk } from '../aggregations/agg-chunks.ts';
import type { AggLevel } from '../aggregations/agg-part.ts';
import { documentId } from '../base/document-id.ts';
import type { Reads } from '../base/reads.ts';
import { HYDRATED, needsRows, pageRequest, type SearchPlan } from './search-plan.ts';

/** Our aggregations of a level; none if all of its results are known. */
export const specsIn = (level: AggLevel | undefined): JsonObject | undefined =>
  level === undefined || Object.keys(level.specs).length === 0 ? undefined : level.specs;

/** Our aggregations that go with the page of a plan: they are of the same documents, and few. */
export function specsOfPage(
  { postFilter }: SearchPlan,
  level: AggLevel | undefined,
): JsonObject | undefined {
  const specs = specsIn(level);
  return postFilter !== undefined || specs === undefined || !isOneChunk(specs) ? undefined : specs;
}

/** The page of a plan with its rows; `level`: aggregations of the same documents. */
export async function readPage(
  reads: Reads,
  plan: SearchPlan,
  level?: AggLevel,
): Promise<SearchResponse> {
  const aggs = specsOfPage(plan, level);
  const request = {
    ...pageRequest(plan),
    ...(aggs === undefined ? {} : { aggs: aggs as AggSpecs }),
  };
  const { hybrid } = plan.selection;
  if (hybrid !== undefined) {
    const { ast: _, ...page } = request;
    return reads.hybrid({ ...page, ...hybrid });
  }
  const page = await reads.search(request);
  if (plan.body.size <= HYDRATED || !needsRows(plan)) return page;
  return { ...page, hits: await withRows(reads, plan.index.name, page.hits) };
}

/** Rows of hits, read by key. */
async function withRows(reads: Reads, index: string, hits: readonly Hit[]): Promise<Hit[]> {
  const found = await reads.getKeys({ index, keys: hits.map(({ coordinates }) => coordinates) });
  const rows = await mapInTurns(
    found.rows,
    ({ key, fields }) => [documentId(key), fields] as const,
  );
  const byId = new Map(rows);
  return mapInTurns(hits, (hit): Hit => {
    const row = byId.get(documentId(hit.coordinates));
    return row === undefined
      ? { ...hit, hydrate_error: 'the table has no such row' }
      : { ...hit, row };
  });
}
