/** What single hits show besides their row: the explanation of their score, hits of their group. */
import type { Hit, Json, JsonObject, QueryTree } from '@lakehouse-search/contract';
import { NODE } from '../base/engine-error.ts';
import { repeatedIn, textIn } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import { illegal, unserved } from '../query/refusal.ts';
import { explanationOf } from './explanation.ts';
import { readPage } from './read-page.ts';
import { readBody } from './search-body.ts';
import { planSearch, type SearchPlan } from './search-plan.ts';
import { hitsOf, type IndexHit } from './search-response.ts';

/** Most hits that are explained, or that have hits of their own. */
const EXTRA_HITS = 100;
const INNER_SIZE = 3;

/** Hits with what the plan adds to each. Throws RefusedDsl for too many. */
export async function withExtras(
  reads: Reads,
  plan: SearchPlan,
  hits: readonly Hit[],
): Promise<readonly IndexHit[]> {
  const { explains, innerHits } = plan;
  if (!hasExtras(plan)) return hits.map((hit) => ({ plan, hit }));
  requireFewExtras(plan, hits.length);
  const all: IndexHit[] = [];
  for (const hit of hits) {
    const inner: JsonObject =
      innerHits.length === 0 ? {} : { inner_hits: await groupOf(reads, plan, hit) };
    const why: JsonObject = explains ? await explained(reads, plan, hit) : {};
    all.push({ plan, hit, extras: { ...why, ...inner } });
  }
  return all;
}

const hasExtras = ({ explains, innerHits, body }: SearchPlan): boolean =>
  (explains || innerHits.length > 0) && body.size > 0;

/** Throws RefusedDsl for a page with more hits than can have something of their own. */
export function requireFewExtras(plan: SearchPlan, hits: number): void {
  if (hits <= EXTRA_HITS || !hasExtras(plan)) return;
  throw illegal(`[explain] and [inner_hits] are served for at most ${EXTRA_HITS} hits`);
}

async function explained(reads: Reads, plan: SearchPlan, hit: Hit): Promise<JsonObject> {
  const { hybrid, ...documents } = plan.selection;
  if (hybrid !== undefined) throw unserved('[explain] of fused lists is not served');
  const why = await reads.explain({ ...documents, coordinates: hit.coordinates });
  const shard = `[${plan.index.name}][0]`;
  return { _shard: shard, _node: NODE, _explanation: explanationOf(why) };
}

/** The hits of a group by the names of `inner_hits`. */
async function groupOf(reads: Reads, plan: SearchPlan, hit: Hit): Promise<JsonObject> {
  const { collapse, innerHits, index } = plan;
  const clause = valueClause(collapse!, hit.collapse?.value ?? null);
  const found: Record<string, Json> = {};
  for (const { name = collapse!, collapse: nested, ...options } of innerHits) {
    if (nested !== undefined) throw unserved('[inner_hits] with [collapse] is not served');
    const body = readBody({ size: INNER_SIZE, ...options }, {});
    const own = planSearch(index, body, {}, undefined);
    const filter = [clause, ...(plan.postFilter === undefined ? [] : [plan.postFilter])];
    const inner = { ...own, selection: plan.selection, postFilter: { bool: { filter } } };
    const page = await readPage(reads, inner);
    const best = own.sort.keys.length === 0 ? (page.hits[0]?.score ?? null) : null;
    const hits = page.hits.map((one) => ({ plan: inner, hit: one }));
    found[repeatedIn(textIn(name, 'inner_hits.name'), 'inner_hits.name')] = {
      hits: await hitsOf(body, { total: page.total, hits }, best, false),
    };
  }
  return found;
}

const valueClause = (field: string, value: Json): QueryTree =>
  value === null
    ? { bool: { must_not: [{ exists: { field } }] } }
    : { terms: { field, values: [value as string] } };
