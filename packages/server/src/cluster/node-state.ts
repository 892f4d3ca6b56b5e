/** A shard within a commit. */
export interface ShardSize {
  readonly shard: number;
  /** Live documents. */
  readonly docs: number;
  /** Bytes of its segments on disk. */
  readonly bytes: number;
}

/** A commit of a node that can be read. */
export interface NodeCommit {
  /** Names the commit in reads of this node. */
  readonly commit: string;
  /** Source snapshot that it shows; null: the table had none. */
  readonly snapshot: string | null;
  /** Sequence number of the snapshot, decimal. */
  readonly sequence: string;
  readonly generation: number;
  /** Live documents. */
  readonly docs: number;
  /** Bytes of its segments on disk. */
  readonly bytes: number;
  /** The shards that the node holds, one by one. */
  readonly sizes: readonly ShardSize[];
  /**
   * Names the definition that it was built with and the read restrictions of its rows: commits of
   * one routing have the same.
   */
  readonly definition: string;
  /** Milliseconds since the node opened it. */
  readonly age_ms: number;
}

/** An index of a node. */
export interface NodeIndex {
  readonly index: string;
  /** Tells an index from a later one of the same name on this node. */
  readonly uuid: string;
  /** Number of shards of the whole index. */
  readonly shards: number;
  /** The shards that the node holds, ascending. */
  readonly ordinals: readonly number[];
  readonly definition_version: number;
  /** The newest first; none: the index is not built. */
  readonly commits: readonly NodeCommit[];
  /** Other names of the index. */
  readonly aliases: readonly string[];
  /** Of an index at home in a store: nodes that are to have a commit of it. 0: of another. */
  readonly copies: number;
}

/** What a node holds. */
export interface NodeState {
  readonly node: string;
  readonly indexes: readonly NodeIndex[];
  /** The ordinals of shards that it was started for; none: it takes what it is given. */
  readonly takes: readonly number[];
  /** Indexes that it reads from stores of published indexes, and has not built itself. */
  readonly followed: readonly NodeIndex[];
}

/** An index as a node answers reads of it; undefined: it has none of that name. */
export const readableIndex = (
  { followed, indexes }: Pick<NodeState, 'followed' | 'indexes'>,
  name: string,
): NodeIndex | undefined => [...followed, ...indexes].find(({ index }) => index === name);
