import type { CallContext } from '@lakehouse-search/contract';

/** Time of the nodes of one read, for all of its steps together. */
export interface ReadTime {
  /** The time at the begin of the read, in milliseconds. */
  readonly millis: number;
  /** The deadline of the call is earlier than the limit of a node. */
  readonly isOfCall: boolean;
  /** Milliseconds for the next step. */
  left(): number;
}

/** Nodes that answer in time finish a read whose time another node has used up. */
const LAST_STEP_MS = 300;
/** Part of the time of a call that nodes have; the rest is for the answer. */
const PART_OF_NODES = 0.9;

/**
 * The time of the nodes of a read that begins now: `nodeMs`, or that of the call where it ends
 * earlier. Steps share it: a node that is slow in each of them fails once, and the read is answered
 * with the shards of the others before the call is over.
 */
export function readTime(
  nodeMs: number,
  { deadline }: Pick<CallContext, 'deadline'>,
  now: () => number = Date.now,
): ReadTime {
  const begin = now();
  const ofCall = deadline === undefined ? nodeMs : (deadline - begin) * PART_OF_NODES;
  const millis = Math.min(nodeMs, ofCall);
  const lastStep = () =>
    deadline === undefined ? LAST_STEP_MS : Math.min(LAST_STEP_MS, (deadline - now()) / 2);
  return {
    millis,
    isOfCall: ofCall < nodeMs,
    left: () => Math.max(begin + millis - now(), lastStep()),
  };
}

/** Every step has the whole time: for reads that are many searches. */
export const timeOfEachStep = (nodeMs: number): ReadTime =>
  Object.freeze({ millis: nodeMs, isOfCall: false, left: () => nodeMs });
