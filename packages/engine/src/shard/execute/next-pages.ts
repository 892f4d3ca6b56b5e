/**
 * Pages by `search_after` send the same request to the same commit again and again, each from a
 * little further on. The search for one page also finds the hits of the next ones, at little extra
 * cost. They are saved with the open segments, and the next pages are taken from there.
 */

import { createHash } from 'node:crypto';
import type { SearchRequest } from '@lakehouse-search/contract';
import { CacheBudget } from '../../base/cache-budget.ts';
import { LIMITS } from '../../base/limits.ts';
import { compareRanked, type SearchAfter } from '../../collect/order.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { filterParts } from '../request/bind-request.ts';
import { executing } from './execute.ts';
import type { Execution, ExecutionPlan } from './execution-plan.ts';
import { type FoundHits, keepGroups, packHits } from './found-hits.ts';

/** A client that keeps paging gets this many times more pages from each search. */
const GROWTH = 4;
/** How many hits, and with `collapse` groups, one search finds for later pages at most. */
export interface PagesAhead {
  readonly hits: number;
  readonly groups: number;
}

/** A scan of all matches serves 65 pages of 1,000. */
const PAGES_AHEAD: PagesAhead = { hits: 65_536, groups: 4096 };
/** Requests that are saved per shard of a commit; the least recently sent one goes first. */
const REQUESTS = 8;
const NAME_CHARS = 1000;

/** The hits behind `after`, in order, as far as one search collected them. */
interface Found {
  readonly after: SearchAfter;
  readonly hits: FoundHits;
  readonly total: number;
  /** There are no more. */
  readonly whole: boolean;
  /** Pages that the search collected. */
  readonly pages: number;
}

/** The hits that are saved for one request. */
class SavedRequest {
  readonly self = new WeakRef(this);
  found: Found | null = null;

  drop(): void {
    this.found = null;
  }
}

/** By the segments of an open shard. */
const saved = new WeakMap<readonly SegmentReader[], Map<string, SavedRequest>>();
const savedBytes = new CacheBudget(LIMITS.nextPagesBytes);

/**
 * The documents of the page behind `plan.after`, from an earlier search of the same request where
 * possible. `request` and `tenant` name the documents and their order.
 */
export function* executingPage(
  segments: readonly SegmentReader[],
  plan: ExecutionPlan & { readonly after: SearchAfter },
  { request, tenant }: { readonly request: SearchRequest; readonly tenant: string | undefined },
  ahead = PAGES_AHEAD,
): Generator<void, Execution> {
  const { after, limit } = plan;
  const own = savedRequest(segments, requestName(request, tenant));
  const known = own.found;
  const page = known === null ? null : pageOf(known, plan, after, limit);
  if (page !== null) return page;
  const pages = known !== null && goesOn(known, plan, after) ? GROWTH * known.pages : 1;
  const most = Math.max(limit, Math.min(pages * limit, plan.collapse ? ahead.groups : ahead.hits));
  const { docs, total } = yield* executing(segments, { ...plan, limit: most });
  const hits = plan.collapse ? keepGroups(docs) : packHits(segments, plan.order, docs);
  own.found = { after, hits, total, whole: docs.length < most, pages: most / limit };
  savedBytes.use(own.self, hits.bytes);
  return { docs: docs.slice(0, limit), total };
}

/** True when the page begins among the found hits: the client goes from page to page. */
function goesOn(
  { hits, after: from }: Found,
  { order }: ExecutionPlan,
  after: SearchAfter,
): boolean {
  const last = hits.size === 0 ? from : hits.at(hits.size - 1);
  return compareRanked(after, from, order) >= 0 && compareRanked(after, last, order) <= 0;
}

/** The page behind `after`, where all of it was found. */
function pageOf(
  { hits, total, whole, after: from }: Found,
  { order }: ExecutionPlan,
  after: SearchAfter,
  limit: number,
): Execution | null {
  if (compareRanked(after, from, order) < 0) return null;
  let low = 0;
  let high = hits.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRanked(hits.at(middle), after, order) > 0) high = middle;
    else low = middle + 1;
  }
  if (low + limit > hits.size && !whole) return null;
  const end = Math.min(low + limit, hits.size);
  return { docs: Array.from({ length: end - low }, (_, i) => hits.at(low + i)), total };
}

function savedRequest(segments: readonly SegmentReader[], name: string): SavedRequest {
  let requests = saved.get(segments);
  if (requests === undefined) saved.set(segments, (requests = new Map()));
  const own = requests.get(name) ?? new SavedRequest();
  requests.delete(name);
  requests.set(name, own);
  for (const [oldest, { self }] of requests) {
    if (requests.size <= REQUESTS) break;
    requests.delete(oldest);
    savedBytes.forget(self);
  }
  return own;
}

/** The parts of a request that decide which documents come in which order, and its caller. */
function requestName(request: SearchRequest, tenant: string | undefined): string {
  const { query, ast, sort, collapse } = request;
  const parts = [query, ast, ...Object.values(filterParts(request)), sort, collapse, tenant];
  const text = JSON.stringify(parts.map((part) => part ?? null));
  return text.length <= NAME_CHARS ? text : createHash('sha256').update(text).digest('base64');
}
