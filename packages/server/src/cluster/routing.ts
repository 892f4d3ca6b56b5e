import type { LhsError } from '@lakehouse-search/contract';

/** A copy of a shard. */
export interface Replica {
  /** Name of the node. */
  readonly node: string;
  /** HOST:PORT of the node. */
  readonly address: string;
  /** Names the commit on that node. */
  readonly commit: string;
}

/** A shard of a routed index. */
export interface RoutedShard {
  readonly ordinal: number;
  /** In order of preference; none: no node can be read. */
  readonly replicas: readonly Replica[];
}

/** Where an index is searched. All commits show one source snapshot under one definition. */
export interface RoutedIndex {
  readonly index: string;
  /** Grows with every change of the routing. */
  readonly generation: number;
  /** null: the table had no snapshot. */
  readonly snapshot: string | null;
  /** All shards of the index, by ordinal. */
  readonly shards: readonly RoutedShard[];
}

/** Where a gateway reads what it searches. */
export interface RoutingSource {
  /** Names of the indexes, built or not. */
  names(): readonly string[];
  /** Throws unreachable while there may be indexes that `names` does not have. */
  requireComplete(): void;
  /** The index of each alias. */
  aliases(): ReadonlyMap<string, string>;
  /** The routing of an index; undefined: there is no such index, or no shard of it is built. */
  current(index: string): RoutedIndex | undefined;
  /** Looks for a newer routing; it is there when the promise resolves. Throws nothing. */
  refresh(): Promise<void>;
  /** True while a node does not answer: its shards fail without a call. */
  isDown(address: string): boolean;
  /** Why a node is down: the error of the call that it did not answer. Undefined: it is up. */
  faultOf(address: string): LhsError | undefined;
  /** The gateway saw a call of the node fail. */
  failed(address: string, error: LhsError): void;
  /** No node that answers has the commit of the route any more: `refresh` looks at the nodes. */
  outdated(index: string): void;
  close(): Promise<void>;
}
