import type { CheckedRequest, ClauseCount } from '@lakehouse-search/contract';
import { findField } from '../query/bind/fields.ts';
import { isCompound, positiveQueries, type Query } from '../query/query.ts';
import { writeTree } from '../query/tree/write.ts';
import { clauseName } from '../shard/explain/subject.ts';
import { bindRequest, readQuery } from '../shard/request/bind-request.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import type { ShardQuery } from '../shard/shard.ts';
import type { SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';
import { findHits, type PreparedSearch, prepareSearch } from './find-hits.ts';
import { respelled } from './respell.ts';
import { nearestTerm } from './suggest.ts';

/** Clauses that are counted, at most. */
const COUNTED_CLAUSES = 16;

/**
 * How many documents each positive clause of a request's query finds alone, in the query's order:
 * what to look at when the whole finds nothing. A clause that finds nothing names what was probably
 * meant (respell.ts), or the field's nearest term, where one is near.
 */
export async function clauseCounts(
  context: SearchContext,
  checked: CheckedRequest,
): Promise<readonly ClauseCount[]> {
  const fan = new FanOut(context.shards);
  const prepared = await prepareSearch(context, fan, checked);
  const { request } = checked;
  const text = request.query ?? null;
  const nodes = [...positiveClauses(readQuery(request, context.mapping))];
  const counts: ClauseCount[] = [];
  for (const node of nodes.slice(0, COUNTED_CLAUSES)) {
    const total = await countMatches(context, fan, clauseAlone(context, prepared, node));
    const clause = clauseName(node, text);
    const suggestion = total === 0 ? await suggest(context, fan, node, clause) : undefined;
    const shown = { clause, total };
    counts.push(suggestion === undefined ? shown : { ...shown, suggestion });
  }
  return counts;
}

/** A search of one clause, without the filter of the request. */
function clauseAlone(
  { mapping }: SearchContext,
  { queries }: PreparedSearch,
  node: Query,
): PreparedSearch {
  const search = { request: { ast: writeTree(node) }, limit: 0, offset: 0, highlight: null };
  const alone = queries.map((query): ShardQuery => ({ ...query, search }));
  return { queries: alone, bound: bindRequest(mapping, alone[0]), after: null };
}

async function countMatches(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
): Promise<number> {
  const window = { limit: 0, after: null, total: true };
  return (await findHits(context, fan, prepared, window)).total;
}

function* positiveClauses(node: Query): Generator<Query> {
  if (!isCompound(node) || (node.kind === 'bool' && isWord(node))) yield node;
  else for (const part of positiveQueries(node)) yield* positiveClauses(part);
}

/** True for a bare word that several fields may hold: its clauses are one place in the query. */
function isWord({ span, should }: Query & { readonly kind: 'bool' }): boolean {
  if (span === undefined || should.length < 2) return false;
  return should.every((part) => part.span?.from === span.from && part.span.to === span.to);
}

async function suggest(
  context: SearchContext,
  fan: FanOut,
  node: Query,
  written: string,
): Promise<string | undefined> {
  if (node.kind === 'boost') return suggest(context, fan, node.query, written);
  if (node.kind === 'bool') {
    for (const part of node.should) {
      const meant = await suggest(context, fan, part, written);
      if (meant !== undefined) return meant;
    }
    return undefined;
  }
  const meant = respelled(node, written, queryFields(context.mapping));
  if (meant !== undefined) return meant;
  if (node.kind !== 'term') return undefined;
  const target = findField(queryFields(context.mapping), node.field);
  if (target?.kind !== 'field' || target.plan.inverted === null) return undefined;
  return nearestTerm(context, fan, target.plan, node.value);
}
