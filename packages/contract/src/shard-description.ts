/** One shard of an index that has been built. */
export interface ShardDescription {
  /** 0 .. number of shards - 1. */
  readonly shard: number;
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly segments: number;
  /** Size on disk. */
  readonly bytes: number;
  readonly index_generation: number;
  /** The committed checkpoint: a snapshot of the table; null: the table had none. */
  readonly snapshot: string | null;
}

/** A shard of a cluster that fewer nodes have than `replicas` requires. */
export interface LackingCopies {
  readonly shard: number;
  /** Nodes that answer and have it, at least one. */
  readonly nodes: number;
  /** Nodes that are to have it: one more than `replicas`. */
  readonly required: number;
}
