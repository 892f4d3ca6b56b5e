import type { AggregateRequest } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { searchFlags } from './search-flags.ts';

/** What says which documents facets and aggregations are made of: as in a search. */
export const matchArgs = {
  index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  query: Args.string({
    ignoreStdin: true,
    description: 'query (docs/query.md); everything when left out',
  }),
};
const { syntax, operator, filter, pit, 'snapshot-min': snapshotMin, wait } = searchFlags;
export const matchFlags = { syntax, operator, filter, pit, 'snapshot-min': snapshotMin, wait };

/** Those flags as oclif has read them. */
interface MatchFlags {
  readonly syntax?: string;
  readonly operator?: string;
  readonly filter?: string;
  readonly pit?: string;
  readonly 'snapshot-min'?: string;
  readonly wait?: number;
}

/** The part of a request that they say. */
export function matchRequest(
  args: { readonly index: string; readonly query?: string },
  flags: MatchFlags,
): Omit<AggregateRequest, 'aggs'> {
  const request: Omit<AggregateRequest, 'aggs'> = {
    index: args.index,
    query: args.query ?? '*:*',
    syntax: flags.syntax as AggregateRequest['syntax'],
    default_operator: flags.operator as AggregateRequest['default_operator'],
    filter: flags.filter,
    pit_id: flags.pit,
    min_snapshot: flags['snapshot-min'],
    wait_ms: flags.wait === undefined ? undefined : flags.wait * 1000,
  };
  return Object.fromEntries(Object.entries(request).filter(([, v]) => v !== undefined));
}
