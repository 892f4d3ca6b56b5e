import type { Scope } from '../call.ts';

/** `GET /v1/indexes/{name}`: how the documents of an index are spread over its shards. */
export interface IndexRouting {
  readonly name: string;
  readonly status: 'created' | 'live';
  readonly shard_count: number;
  /** `hash`: by a hash of the key. */
  readonly routing_strategy: 'hash';
  /** Shard of each virtual bucket. Empty: hash of the key modulo the number of shards. */
  readonly buckets: readonly number[];
}

/** Something that happened to an index, for example the end of a reindex. */
export interface ActivityEntry {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly index: string;
  /** What happened: the kind of a job and its state, for example `reindex done`. */
  readonly event: string;
  readonly job_id?: string;
  /** The error of a failed job. */
  readonly message?: string;
}

/** `GET /v1/license`. */
export interface License {
  readonly licensee: string;
  readonly nodes_in_use: number;
  /** null: no limit. */
  readonly nodes_limit: number | null;
}

/** `GET /v1/config`. */
export interface ConsoleConfig {
  /** The index that the console opens first; null: there are several, or none. */
  readonly default_index: string | null;
  /** What the caller may do; absent: the service requires no credentials. */
  readonly scopes?: readonly Scope[];
  /** The tenant whose rows the caller sees: lists of indexes, jobs and aliases are closed to it. */
  readonly tenant?: string;
}
