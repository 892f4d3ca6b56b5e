/**
 * A search from a checked request to its response. Steps: bind (plan.ts), run (execute.ts),
 * then for the page only: coordinates, cached fields and marks from the index, rows from the table.
 */
import type {
  CheckedRequest,
  Hit,
  SearchRequest,
  SearchResponse,
  TableLag,
} from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { Deadline } from '../base/deadline.ts';
import type { CollapsedDoc } from '../collect/collapse.ts';
import type { RankedDoc } from '../collect/order.ts';
import { coordinatesOf } from '../schema/key.ts';
import { type SearchContext, UNKNOWN_LAG } from './context.ts';
import type { Execution } from './execute/execute.ts';
import { executePage } from './execute/next-pages.ts';
import { documentFields, documentValues } from './fetch/document.ts';
import type { Hydrated, HydratedDoc } from './fetch/hydrate.ts';
import type { RowCost } from './fetch/rows.ts';
import { columnValueToJson, sortToJson } from './fetch/sort-values.ts';
import { createHighlighter, type Highlighter } from './highlight/highlight.ts';
import { type GivenByNode, planSearch, type SearchPlan } from './request/plan.ts';

/**
 * Answers a search over one snapshot of an index. Throws invalid_argument, invalid_query,
 * limit_exceeded, and snapshot_not_reached where the index is behind `min_snapshot` (waiting for it
 * is the caller's part).
 */
export async function searchIndex(
  context: SearchContext,
  checked: CheckedRequest,
): Promise<SearchResponse> {
  const started = performance.now();
  const { request } = checked;
  const plan = planSearch(checked, context.mapping, await givenOf(context, request));
  await requireSnapshot(context, request.min_snapshot);
  return answer(context, plan, started, { page: (timed) => executePage(timed, plan) });
}

/**
 * The documents of `knn` clauses, which only trees have: their code is loaded by the first tree.
 */
export async function givenOf(
  context: SearchContext,
  request: Pick<SearchRequest, 'ast' | 'filter' | 'syntax' | 'default_operator'>,
): Promise<GivenByNode> {
  if (request.ast === undefined && typeof request.filter !== 'object') return {};
  const { givenByNode } = await import('./hybrid/given-by-node.ts');
  return givenByNode(context, request);
}

/** What differs between the modes of searching. */
export interface AnswerParts {
  /** The first documents, up to the end of the page; the context has the request's deadline. */
  readonly page: (context: SearchContext) => Execution;
  readonly ofHit?: (doc: RankedDoc) => Partial<Hit>;
  readonly more?: Partial<SearchResponse>;
}

/** The answer to a bound search that began at `started` (performance.now()). */
export async function answer(
  context: SearchContext,
  plan: SearchPlan,
  started: number,
  { page: execute, ofHit, more }: AnswerParts,
): Promise<SearchResponse> {
  const { request } = plan.checked;
  const lag = lagOf(context);
  const { deadline = new Deadline() } = context;
  const timed = { ...context, deadline };
  const { docs, total } = execute(timed);
  const summary = await summaryOf(timed, plan);
  const page = docs.slice(plan.checked.offset);
  const cost = { bytes: 0, requests: 0 };
  const rows = request.hydrate ? await hydrated(context, page, request, cost) : null;
  // Reading rows waits for the table, which is not the query's time.
  const highlighter = highlighterOf(plan, rows === null ? deadline : new Deadline());
  const hits = page.map((doc, i) => ({
    ...hit(context, plan, doc, highlighter, rows?.[i]),
    ...ofHit?.(doc),
  }));
  const took = performance.now() - started;
  return {
    hits,
    total,
    shards_scanned: 1,
    shards_total: 1,
    snapshot: context.snapshot.checkpoint?.snapshot_id ?? null,
    index_generation: context.snapshot.generation,
    took_ms: Math.round(took * 1000) / 1000,
    ...(await lag),
    // Pages hold rows of all tenants: their bytes are no tenant's own.
    ...(rows === null || context.tenant !== undefined ? {} : { hydrate_bytes: cost.bytes }),
    ...summary,
    ...more,
  };
}

/** Facets and aggregations: their code is loaded by the first search that asks for some. */
async function summaryOf(context: SearchContext, plan: SearchPlan) {
  const { facets, aggs } = plan.checked.request;
  if (facets === undefined && aggs === undefined) return {};
  const { summarize } = await import('./summarize.ts');
  return summarize(context, plan, facets, aggs);
}

/** Requested first: a look that an answer waits for goes on while the index answers. */
export function lagOf({ lag }: SearchContext): Promise<TableLag> {
  const requested = lag?.() ?? Promise.resolve(UNKNOWN_LAG);
  requested.catch(() => {});
  return requested;
}

/** Reading rows needs the lake's code: loaded by the first search that hydrates. */
async function hydrated(
  context: SearchContext,
  page: readonly HydratedDoc[],
  request: SearchRequest,
  cost: RowCost,
): Promise<readonly Hydrated[]> {
  const { hydrate } = await import('./fetch/hydrate.ts');
  return hydrate(context, page, request.hydrate_columns, cost);
}

function highlighterOf(plan: SearchPlan, deadline: Deadline): Highlighter | null {
  const { highlight } = plan.checked;
  if (plan.highlight === null || highlight === null) return null;
  return createHighlighter(plan.clause, plan.highlight, highlight, deadline);
}

function hit(
  context: SearchContext,
  plan: SearchPlan,
  doc: RankedDoc | CollapsedDoc,
  highlighter: Highlighter | null,
  hydrated: Hydrated | undefined,
): Hit {
  const { mapping, snapshot } = context;
  const reader = snapshot.segments[doc.segment]!;
  const values = documentValues(reader, doc.doc);
  const { collapse } = plan;
  const marks = highlighter?.highlight((field) => values.texts(field));
  return {
    coordinates: coordinatesOf(mapping.key, doc.key),
    score: doc.score,
    ...(plan.showSort ? { sort: sortToJson(plan.order, doc.values, doc.key) } : {}),
    ...(plan.fields.length > 0
      ? { fields: documentFields(reader, doc.doc, plan.fields, values) }
      : {}),
    ...(collapse !== null && 'group' in doc
      ? { collapse: { value: columnValueToJson(collapse, doc.group), count: doc.count } }
      : {}),
    ...(highlighter === null ? {} : { highlight: marks ?? {} }),
    ...hydrated,
  };
}

/** Throws snapshot_not_reached where the index does not hold all of a snapshot. */
export async function requireSnapshot(
  context: SearchContext,
  wanted: string | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const own = context.snapshot.checkpoint?.snapshot_id ?? null;
  if (own === wanted || (await context.hasReached?.(wanted)) === true) return;
  const { index } = context.mapping.definition;
  const message = `index "${index}" is at snapshot ${own ?? 'none'}, not yet at ${wanted}`;
  throw new LhsError('snapshot_not_reached', message, {
    next: [{ step: 'sync', index }],
    details: { snapshot: own },
  });
}
