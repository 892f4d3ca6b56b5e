/**
 * Pages by `search_after` send the same request to the same commit again and again, each from a
 * little further on. The search for one page finds the hits of the next ones with it, for little
 * more: they are kept with the open commit, and the next pages are taken from there.
 */
import { createHash } from 'node:crypto';
import type { SearchRequest } from '@lakehouse-search/contract';
import { KeptBytes } from '../../base/kept-bytes.ts';
import { LIMITS } from '../../base/limits.ts';
import { compareRanked, type SearchAfter } from '../../collect/order.ts';
import type { IndexSnapshot } from '../../index/index-snapshot.ts';
import type { SearchContext } from '../context.ts';
import type { SearchPlan } from '../request/plan.ts';
import { type Execution, execute } from './execute.ts';
import { type FoundHits, keepGroups, packHits } from './found-hits.ts';

/**
 * A client that goes from page to page gets so many times as many pages found at once each time.
 */
const GROWTH = 4;
/** How many hits, and with `collapse` groups, one search finds for later pages at most. */
export interface PagesAhead {
  readonly hits: number;
  readonly groups: number;
}

/** A scan of all matches serves 65 pages of 1,000. */
const PAGES_AHEAD: PagesAhead = { hits: 65_536, groups: 4096 };
/** Requests that are kept for a commit; the least recently sent one goes first. */
const REQUESTS = 8;
const NAME_CHARS = 1000;

/** The hits behind `after`, in order, as far as they were looked for. */
interface Found {
  readonly after: SearchAfter;
  readonly hits: FoundHits;
  readonly total: number;
  /** There are no more. */
  readonly whole: boolean;
  /** Pages that were looked for. */
  readonly pages: number;
}

/** What was found for one request. */
class KeptRequest {
  readonly self = new WeakRef(this);
  found: Found | null = null;

  drop(): void {
    this.found = null;
  }
}

const kept = new WeakMap<IndexSnapshot, Map<string, KeptRequest>>();
const keptBytes = new KeptBytes(LIMITS.nextPagesBytes);

/** The documents of the page that a plan begins behind `plan.after`, or of its first pages. */
export function executePage(
  context: SearchContext,
  plan: SearchPlan,
  ahead = PAGES_AHEAD,
): Execution {
  const { after } = plan;
  const { limit, offset, request } = plan.checked;
  if (after === null) return run(context, plan, offset + limit);
  const own = keptRequest(context.snapshot, requestName(request, context.tenant));
  const known = own.found;
  const page = known === null ? null : pageOf(known, plan, after, limit);
  if (page !== null) return page;
  const pages = known !== null && goesOn(known, plan, after) ? GROWTH * known.pages : 1;
  const most = Math.max(limit, Math.min(pages * limit, plan.collapse ? ahead.groups : ahead.hits));
  const { docs, total } = run(context, plan, most);
  const hits = plan.collapse ? keepGroups(docs) : packHits(context.snapshot, plan.order, docs);
  own.found = { after, hits, total, whole: docs.length < most, pages: most / limit };
  keptBytes.use(own.self, hits.bytes);
  return { docs: docs.slice(0, limit), total };
}

function run(context: SearchContext, plan: SearchPlan, limit: number) {
  const { snapshot, guard, filters, deadline } = context;
  return execute(snapshot, { ...plan, guard, filters, limit, deadline });
}

/** True when the page begins among what was found: somebody goes from page to page. */
function goesOn({ hits, after: from }: Found, { order }: SearchPlan, after: SearchAfter): boolean {
  const last = hits.size === 0 ? from : hits.at(hits.size - 1);
  return compareRanked(after, from, order) >= 0 && compareRanked(after, last, order) <= 0;
}

/** The page behind `after`, where all of it was found. */
function pageOf(
  { hits, total, whole, after: from }: Found,
  { order }: SearchPlan,
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

function keptRequest(snapshot: IndexSnapshot, name: string): KeptRequest {
  let requests = kept.get(snapshot);
  if (requests === undefined) kept.set(snapshot, (requests = new Map()));
  const own = requests.get(name) ?? new KeptRequest();
  requests.delete(name);
  requests.set(name, own);
  for (const oldest of requests.keys()) {
    if (requests.size <= REQUESTS) break;
    requests.delete(oldest);
  }
  return own;
}

/** The parts of a request that decide which documents come in which order, and its caller. */
function requestName(request: SearchRequest, tenant: string | undefined): string {
  const { query, ast, syntax, default_operator, filter, sort, collapse } = request;
  const parts = [query, ast, syntax, default_operator, filter, sort, collapse, tenant];
  const text = JSON.stringify(parts.map((part) => part ?? null));
  return text.length <= NAME_CHARS ? text : createHash('sha256').update(text).digest('base64');
}
