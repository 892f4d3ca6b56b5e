/** The internal service of a node: its state, and reads of its commits. */

import { NODE_METHODS } from '@lakehouse-search/client/internal';
import type { NodeReads } from '@lakehouse-search/engine/internal';
import { type InternalMethod, internalMethod, LARGE_BYTES } from '../cluster/internal-method.ts';
import type { NodeRead } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { messageOfState, PROTOCOL, requireProtocol } from '../cluster/node-wire.ts';
import type { NodeSpans } from '../observe/node-spans.ts';
import type { FollowedPlaces } from './followed-places.ts';
import type { RemoveIndex } from './remove-index.ts';

/** What the internal service answers with. */
export interface NodeServiceOptions {
  readonly reads: NodeReads;
  readonly followed: FollowedPlaces;
  readonly removeIndex: RemoveIndex;
  /** Name of the node. */
  readonly node: () => string;
  /** The ordinals of shards that it was started for. */
  readonly takes: readonly number[];
  /** Makes spans of reads. Absent: there are none. */
  readonly nodeSpans?: NodeSpans | undefined;
}

/** What a node holds now. */
export function stateOf(options: NodeServiceOptions): NodeState {
  const { reads, followed, node, takes } = options;
  return { node: node(), indexes: reads.state(), takes, followed: followed.state() };
}

/** The same once the node has what it was started for. Throws unreachable if it cannot have that. */
async function stateAfterStart(options: NodeServiceOptions): Promise<NodeState> {
  const state = stateOf(options);
  if (state.indexes.length + state.followed.length > 0) return state;
  await options.followed.requireOpen();
  return stateOf(options);
}

/** What other processes of the cluster call: the state, reads of commits, removals. */
export function nodeMethods(options: NodeServiceOptions): readonly InternalMethod[] {
  const { state, read, removeIndex } = NODE_METHODS;
  return [
    internalMethod(state, async () => messageOfState(await stateAfterStart(options))),
    internalMethod(
      read,
      async (wanted, { traceparent, ...call }) => {
        requireProtocol(wanted.protocol, 'the gateway');
        const { reads } = options.followed.placeOf(wanted.index) ?? options;
        const run = () => reads.read(wanted, call);
        return { answer: await inSpan(options, wanted, traceparent, run), protocol: PROTOCOL };
      },
      LARGE_BYTES,
    ),
    internalMethod(removeIndex, async (dropped) => {
      const removed = await options.removeIndex(dropped);
      return { response: removed === undefined ? '' : JSON.stringify(removed) };
    }),
  ];
}

/** Runs a read in a span, if spans are made. */
function inSpan<T>(
  { nodeSpans, node }: NodeServiceOptions,
  { index, shard, operation }: Pick<NodeRead, 'index' | 'shard' | 'operation'>,
  traceparent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (nodeSpans === undefined) return work();
  return nodeSpans.received(traceparent, { node: node(), index, shards: [shard], operation }, work);
}
