/**
 * Searches by meaning, from a checked request to the answer. Steps: bind what every search has
 * (search/request/plan.ts), find the documents with their scores (find-nearest.ts, find-hybrid.ts),
 * then go the way of every search with them as the query's clause.
 */
import type {
  CheckedHybrid,
  CheckedRequest,
  CheckedSemantic,
  SearchResponse,
} from '@lakehouse-search/contract';
import type { Clause } from '../../query/bind/clause.ts';
import type { GivenDocs } from '../../query/bind/given.ts';
import type { SearchContext } from '../context.ts';
import { execute } from '../execute/execute.ts';
import { narrowingClauses } from '../execute/narrowing.ts';
import { planSearch, queryFields, type SearchPlan } from '../request/plan.ts';
import { type AnswerParts, answer, requireSnapshot } from '../search.ts';
import { findHybrid } from './find-hybrid.ts';
import { findNear, nearGiven, unknownText } from './find-nearest.ts';
import { placeOf } from './fuse.ts';
import { givenByNode } from './given-by-node.ts';
import { vectorFieldOf } from './query-vector.ts';

/**
 * Answers a semantic search over one snapshot. Throws invalid_argument, limit_exceeded,
 * model_unavailable, model_mismatch, and what a search throws.
 */
export async function searchSemantic(
  context: SearchContext,
  { search, nearest }: CheckedSemantic,
): Promise<SearchResponse> {
  const started = performance.now();
  const fields = queryFields(context.mapping);
  const field = vectorFieldOf(fields, nearest.vector_field);
  const plan = await planWithout(context, search);
  const narrowing = narrowingClauses({ guard: context.guard, filter: plan.filter });
  const near = await findNear(context, field, nearest, narrowing);
  const given = nearGiven(context, near, field, nearest, fields);
  const notes = near.vector === null ? [unknownText(nearest.query_text ?? '')] : [];
  return answerGiven(context, plan, given, started, { more: told(notes) });
}

/** Answers a hybrid search over one snapshot. Throws as `searchSemantic`. */
export async function searchHybrid(
  context: SearchContext,
  checked: CheckedHybrid,
): Promise<SearchResponse> {
  const started = performance.now();
  const fields = queryFields(context.mapping);
  const plan = await planWithout(context, checked.search);
  const { docs, given, failed, notes } = await findHybrid(context, checked, plan.filter, fields);
  const arms = new Map(docs.map((doc) => [placeOf(doc.segment, doc.doc), doc.arms]));
  const partial = failed.length === 0 ? {} : { partial: true as const, failed_arms: failed };
  return answerGiven(context, plan, given, started, {
    more: { ...partial, ...told(notes) },
    ofHit: ({ segment, doc }) => ({ arms: arms.get(placeOf(segment, doc)) ?? {} }),
  });
}

const told = (notes: readonly string[]): Partial<SearchResponse> =>
  notes.length === 0 ? {} : { notes };

/** All of a plan but its documents: what does not fit is refused before a model is asked. */
export async function planWithout(
  context: SearchContext,
  search: CheckedRequest,
): Promise<SearchPlan> {
  const plan = planSearch(search, context.mapping, await givenByNode(context, search.request));
  await requireSnapshot(context, search.request.min_snapshot);
  return plan;
}

/** The clause of documents that were found. */
export const givenClause = (given: GivenDocs): Clause => ({ kind: 'given', boost: 1, given });

/** The page is taken from the documents that were found, whatever page is asked for. */
function answerGiven(
  context: SearchContext,
  bound: SearchPlan,
  given: GivenDocs,
  started: number,
  parts: Pick<AnswerParts, 'more' | 'ofHit'>,
): Promise<SearchResponse> {
  const plan = { ...bound, clause: givenClause(given) };
  const { snapshot, guard, filters } = context;
  const { offset, limit } = plan.checked;
  const page = ({ deadline }: SearchContext) =>
    execute(snapshot, { ...plan, guard, filters, limit: offset + limit, deadline });
  return answer(context, plan, started, { ...parts, page });
}
