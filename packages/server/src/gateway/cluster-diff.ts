import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { DiffNode, DiffNodes, OpenDiff } from '@lakehouse-search/engine/internal';
import type { RoutedIndex } from '../cluster/routing.ts';
import { closingCall } from './closing-call.ts';
import { splitPit } from './cluster-pits.ts';
import type { ClusterReads } from './cluster-reads.ts';

const PIT = 'pit:';

/** A node of a diff: where it is, and the commit that is routed there. */
interface SideNode {
  readonly node: string;
  readonly address: string;
  readonly commit: string;
}

/**
 * How diffs reach the nodes of an index. Each shard is compared on one node, the first that is
 * routed and answers. A build of a side has no time limit but that of the call.
 */
export const clusterDiff =
  (reads: ClusterReads): OpenDiff =>
  async (index, call): Promise<DiffNodes> => {
    const { name, routed } = reads.routed(index, call);
    const holders = routed.shards.map((shard) => holderOf(reads, routed, shard));
    const places = [...new Map(holders.map((holder) => [holder.address, holder])).values()];
    const nodes = places.map((place): DiffNode => {
      const send = (operation: string, request: Uint8Array) => {
        const read = { index: name, commit: '', shard: 0, operation, request };
        const own = operation === 'close_side' ? closingCall(call) : call;
        return reads.node(place.address).read(read, own);
      };
      return { send, named: (side) => namedOn(place, side) };
    });
    return {
      index: name,
      nodes,
      opened: (sides, own: CallContext) => {
        const shards = holders.map(({ node, address }, ordinal) => {
          const at = places.findIndex((place) => place.address === address);
          return { ordinal, replicas: [{ node, address, commit: `side:${sides[at]}` }] };
        });
        return reads.shardsOf({ index: name, snapshot: null, shards }, own);
      },
    };
  };

function holderOf(
  reads: ClusterReads,
  { index }: RoutedIndex,
  { ordinal, replicas }: RoutedIndex['shards'][number],
): SideNode {
  const found = replicas.find(({ address }) => !reads.isDown(address));
  if (found !== undefined) return found;
  throw new LhsError('unreachable', `shard ${ordinal} of "${index}" has no node that answers`);
}

/** `now` is the routed commit; a point in time is that of the node. Other names are for all. */
function namedOn({ address, commit }: SideNode, side: string): string {
  if (side === 'now') return `commit:${commit}`;
  if (!side.startsWith(PIT)) return side;
  const own = splitPit(side.slice(PIT.length)).get(address);
  if (own !== undefined) return `${PIT}${own}`;
  throw new LhsError('not_found', `the point in time has no commit of the node at ${address}`);
}
