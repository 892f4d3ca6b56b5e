import type { NodeState } from './node-state.ts';

/** An index that a node is to hold. */
export interface Assignment {
  readonly index: string;
  /** YAML, as it was registered. */
  readonly definition: string;
}

/** The right of a node to accept writes. */
export interface NodeLease {
  readonly expires_ms: number;
  readonly assignments: readonly Assignment[];
  /** Indexes that the cluster has no more; the node removes their files. */
  readonly dropped: readonly DroppedIndex[];
  /** Indexes that the node reads from their stores. */
  readonly followed: readonly StoredIndex[];
  /** Indexes that other nodes have by now. */
  readonly left: readonly string[];
}

/** An index at home in a store. */
export interface StoredIndex {
  readonly index: string;
  readonly place: string;
}

/** An index of a node that was dropped. */
export interface DroppedIndex {
  readonly index: string;
  /** Tells it from a later index of the same name. */
  readonly uuid: string;
}

/** The control plane as a node sees it. */
export interface Registrar {
  /**
   * Registers the node with its address and what it holds, and renews its lease. Throws
   * unreachable.
   */
  register(address: string, state: NodeState): Promise<NodeLease>;
  /** Ends the lease of a node that stops: searches leave it out at once. Throws unreachable. */
  leave(address: string, state: NodeState): Promise<void>;
  close(): Promise<void>;
}
