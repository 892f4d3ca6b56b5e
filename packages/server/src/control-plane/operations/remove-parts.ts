import type { CallContext, DropResponse } from '@lakehouse-search/contract';
import type { DroppedPart } from '../../store/dropped-indexes.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';

/** Time for a node to remove an index. */
const REMOVE_MS = 10_000;
/** Time for all nodes to remove an index before another one gets its name. */
const WAIT_MS = 15_000;
const LOOK_MS = 250;

/** A part that a node does not hold any more. */
export interface RemovedPart {
  readonly part: DroppedPart;
  /** Absent: the node did not hold it. */
  readonly response?: DropResponse | undefined;
}

/**
 * Removes the files of dropped parts on the nodes with a lease that answer; others remove them at
 * their next heartbeats. Returns the parts that are gone. Throws what the store throws.
 */
export async function removeParts(
  { store, nodes, logger }: ClusterContext,
  parts: readonly DroppedPart[],
  { signal }: CallContext = {},
): Promise<readonly RemovedPart[]> {
  const addresses = new Map((await store.nodes.list()).map(({ node, address }) => [node, address]));
  const call = { deadline: Date.now() + REMOVE_MS, ...(signal === undefined ? {} : { signal }) };
  const removed = parts.map(async (part): Promise<readonly RemovedPart[]> => {
    const address = addresses.get(part.node);
    if (address === undefined) return [];
    try {
      return [{ part, response: await nodes.at(address).removeIndex(part, call) }];
    } catch (error) {
      logger.warn({ err: error, ...part }, 'a node cannot remove a dropped index now');
      return [];
    }
  });
  return (await Promise.all(removed)).flat();
}

/**
 * Waits until no node with a lease holds files of a dropped index of this name, for 15 s at most:
 * a node with such files refuses a new index of the name.
 */
export async function freeName(
  context: ClusterContext,
  name: string,
  call: CallContext,
): Promise<void> {
  const { store } = context;
  const { signal = new AbortController().signal } = call;
  const until = performance.now() + WAIT_MS;
  const gone = new Set<string>();
  const nameOf = ({ node, uuid }: DroppedPart) => `${node} ${uuid}`;
  while (!signal.aborted) {
    const living = new Set((await store.nodes.list()).map(({ node }) => node));
    const held = (await store.dropped.list()).filter(
      (part) => part.index === name && living.has(part.node) && !gone.has(nameOf(part)),
    );
    for (const { part } of await removeParts(context, held, call)) gone.add(nameOf(part));
    if (held.every((part) => gone.has(nameOf(part))) || performance.now() > until) return;
    await pause(LOOK_MS, signal);
  }
}
