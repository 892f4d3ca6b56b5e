/** Aggregations of a search in several requests: our engine takes a number of them in each. */
import type { JsonObject } from '@lakehouse-search/contract';
import { isObject } from '../query/body.ts';
import { illegal } from '../query/refusal.ts';

/** Aggregations of one request, with those inside. */
const MOST_NODES = 64;
/** Requests for the aggregations of one search. */
const MOST_CHUNKS = 16;

/** Whether all aggregations go with one request. */
export const isOneChunk = (specs: JsonObject): boolean => nodesIn(specs) <= MOST_NODES;

/** The aggregations in parts that our engine takes. Throws RefusedDsl for too many. */
export function chunksOf(specs: JsonObject): readonly JsonObject[] {
  const chunks: Record<string, JsonObject>[] = [];
  let left = 0;
  for (const [name, spec] of Object.entries(specs) as [string, JsonObject][]) {
    const nodes = nodesOf(spec);
    if (nodes > left) {
      chunks.push({});
      left = MOST_NODES;
    }
    left -= nodes;
    chunks[chunks.length - 1][name] = spec;
  }
  if (chunks.length <= MOST_CHUNKS) return chunks;
  throw illegal(`more than ${MOST_CHUNKS * MOST_NODES} aggregations in one search`);
}

const nodesIn = (specs: JsonObject): number =>
  Object.values(specs).reduce<number>((sum, spec) => sum + nodesOf(spec as JsonObject), 0);

const nodesOf = ({ aggs }: JsonObject): number => 1 + (isObject(aggs) ? nodesIn(aggs) : 0);
