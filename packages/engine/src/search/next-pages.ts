/**
 * Pages by `search_after` ask the same question of the same commit again and again, each from a
 * little further on. The search for one page finds the documents of the next ones with it, for little
 * more: they are kept with the open commit, and the next pages are taken from there.
 */
import { createHash } from 'node:crypto';
import type { SearchRequest } from '../backend.ts';
import { compareRanked, type SearchAfter } from '../collect/order.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { SearchContext } from './context.ts';
import { type Execution, execute } from './execute.ts';
import type { SearchPlan } from './plan.ts';

/**
 * Who asks for one page somewhere pays for one; who goes on gets so many times as many found at
 * once each time, up to `MOST_DOCS` hits.
 */
const GROWTH = 4;
const MOST_DOCS = 1000;
/** Questions that are kept for a commit; the one that was asked longest ago goes first. */
const QUESTIONS = 8;

/** All hits behind `after`, in order, as far as they were looked for. */
interface Found extends Execution {
  readonly after: SearchAfter;
  /** There are no more. */
  readonly whole: boolean;
  /** Pages that were looked for. */
  readonly pages: number;
}

const kept = new WeakMap<IndexSnapshot, Map<string, Found>>();

/** The documents of the page that a plan begins behind `plan.after`, or of its first pages. */
export function executePage(context: SearchContext, plan: SearchPlan): Execution {
  const { snapshot, guard, filters } = context;
  const { limit, offset, request } = plan.checked;
  const search = { ...plan, guard, filters };
  const { after } = plan;
  if (after === null || 2 * limit > MOST_DOCS) {
    return execute(snapshot, { ...search, limit: offset + limit });
  }
  const questions = questionsOf(snapshot);
  const name = questionName(request, context.tenant);
  const known = questions.get(name);
  const page = known === undefined ? null : pageOf(known, plan, after, limit);
  if (page !== null) return page;
  const pages = known !== undefined && goesOn(known, plan, after) ? GROWTH * known.pages : 1;
  const most = Math.min(pages * limit, MOST_DOCS);
  const found = execute(snapshot, { ...search, limit: most });
  questions.delete(name);
  questions.set(name, { ...found, after, whole: found.docs.length < most, pages: most / limit });
  for (const oldest of questions.keys()) {
    if (questions.size <= QUESTIONS) break;
    questions.delete(oldest);
  }
  return { docs: found.docs.slice(0, limit), total: found.total };
}

/** True when the page begins among what was found: somebody goes from page to page. */
function goesOn({ docs, after: from }: Found, { order }: SearchPlan, after: SearchAfter): boolean {
  const last = docs.at(-1) ?? from;
  return compareRanked(after, from, order) >= 0 && compareRanked(after, last, order) <= 0;
}

/** The page behind `after`, where all of it was found. */
function pageOf(
  { docs, total, whole, after: from }: Found,
  { order }: SearchPlan,
  after: SearchAfter,
  limit: number,
): Execution | null {
  if (compareRanked(after, from, order) < 0) return null;
  let low = 0;
  let high = docs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRanked(docs[middle]!, after, order) > 0) high = middle;
    else low = middle + 1;
  }
  if (low + limit > docs.length && !whole) return null;
  return { docs: docs.slice(low, low + limit), total };
}

function questionsOf(snapshot: IndexSnapshot): Map<string, Found> {
  let questions = kept.get(snapshot);
  if (questions === undefined) kept.set(snapshot, (questions = new Map()));
  return questions;
}

/** All of a request that decides which documents come in which order, and who asks. */
function questionName(request: SearchRequest, tenant: string | undefined): string {
  const { query, ast, syntax, default_operator, filter, sort, collapse } = request;
  const parts = [query, ast, syntax, default_operator, filter, sort, collapse, tenant];
  const text = JSON.stringify(parts.map((part) => part ?? null));
  return text.length <= MOST_DOCS ? text : createHash('sha256').update(text).digest('base64');
}
