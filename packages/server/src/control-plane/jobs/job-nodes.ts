import { LhsError } from '@lakehouse-search/contract';
import type { NodeIndex } from '../../cluster/node-state.ts';
import { currentNodes } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';
import type { LivingNode } from '../placement/route-over.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';

/** A node that takes part in a job, and the index as the node has it. */
export interface JobNode {
  readonly node: LivingNode;
  readonly own: NodeIndex;
  /** YAML that comes into force on the node with what it builds. Absent: the one in force. */
  readonly definition?: string;
}

/** A shard and the name of the node that it was given to. */
interface Placed {
  readonly shard: number;
  readonly node: string;
}

/** Time for nodes to take over the shards that they have been assigned. */
const WAIT_MS = 15_000;
const LOOK_MS = 250;

/**
 * The nodes that hold the shards of an index, all of them. Waits until nodes have taken over their
 * shards. Throws unreachable if a shard has no living node.
 */
export async function nodesOf(run: RunningJob, shards: number): Promise<readonly JobNode[]> {
  const { context, job } = run;
  const until = performance.now() + WAIT_MS;
  for (;;) {
    refuseStopped(run);
    const placements = await context.store.placements.list(job.index);
    const nodes = await currentNodes(context, { signal: run.signal });
    const found = nodes.flatMap((node): JobNode[] => {
      const own = node.indexes.find(({ index }) => index === job.index);
      if (own === undefined || own.shards !== shards || node.isSilent) return [];
      return [{ node, own }];
    });
    const missing = missingShards(shards, placements, found);
    if (missing.length === 0) return found;
    if (performance.now() > until) {
      const isMissing = ({ shard }: Placed) => missing.includes(shard);
      throw shardsMissing(job.index, placements.filter(isMissing), missing, nodes);
    }
    await pause(LOOK_MS, run.signal);
  }
}

function missingShards(
  shards: number,
  placements: readonly Placed[],
  nodes: readonly JobNode[],
): readonly number[] {
  const holds = (shard: number) =>
    placements.some(
      (placement) =>
        placement.shard === shard &&
        nodes.some(({ node, own }) => node.node === placement.node && own.ordinals.includes(shard)),
    );
  return Array.from({ length: shards }, (_, shard) => shard).filter((shard) => !holds(shard));
}

/**
 * The error of shards that no node has taken over. A living node that they were given to and that
 * still lacks them fails to build them.
 */
export function shardsMissing(
  index: string,
  placements: readonly Placed[],
  shards: readonly number[],
  nodes: readonly Pick<LivingNode, 'node' | 'address' | 'isSilent'>[],
): LhsError {
  const which = shards.length === 1 ? `shard ${shards[0]}` : `shards ${shards.join(', ')}`;
  const isPlaced = (name: string) => placements.some(({ node }) => node === name);
  const taking = nodes.filter(({ node, isSilent }) => isSilent !== true && isPlaced(node));
  const names = taking.map(({ address }) => address).join(', ');
  const [why, hint] =
    taking.length === 0
      ? [
          'no living node holds it',
          'start the node again, or wait until its shards have moved to other nodes',
        ]
      : [`${names} did not take over in ${WAIT_MS / 1000} s`, `the log of ${names} says why`];
  const message = `${which} of index "${index}" cannot be built: ${why}`;
  return new LhsError('unreachable', message, { hint, details: { shards } });
}
