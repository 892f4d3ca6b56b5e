/**
 * What the engine and its search threads send each other. Requests and answers of a shard travel in
 * the byte form of `node:v8`: it copies views alone, not the whole memory that they lie in.
 */
import { deserialize, serialize } from 'node:v8';
import type { Commit } from '../index/commit.ts';
import type { Definition } from '../schema/definition.ts';
import type { PlainError } from '../shard/bytes.ts';
import type { ShardOperation } from '../shard/shard.ts';

/** A commit as plain values: a thread opens the same files. */
export interface CommitSource {
  /** Tells it from the other commits of this process. */
  readonly id: number;
  /** The folder of its generation. */
  readonly path: string;
  readonly generation: number;
  readonly commit: Commit;
  readonly definition: Definition;
}

/** To a thread. It handles one message after the other. */
export type ToThread =
  | { readonly kind: 'open'; readonly source: CommitSource }
  | { readonly kind: 'close'; readonly commit: number }
  | ThreadCall;

/** An operation of one shard of a commit that was opened. */
export interface ThreadCall {
  readonly kind: 'call';
  /** Above 0, and above those of earlier calls. */
  readonly task: number;
  readonly commit: number;
  readonly shard: number;
  readonly operation: ShardOperation;
  readonly request: Uint8Array;
}

/** The answer to a call. */
export type FromThread =
  | { readonly kind: 'done'; readonly task: number; readonly answer: Uint8Array }
  | { readonly kind: 'failed'; readonly task: number; readonly error: PlainError }
  /** Files of the commit could not be opened: they were replaced, or are damaged. */
  | { readonly kind: 'unopened'; readonly task: number };

/** What a thread is created with. */
export interface ThreadSettings {
  /** Threads that share the memory of the process's caches. */
  readonly threads: number;
  /** One i32 in shared memory: the number of the last task that was canceled. */
  readonly canceled: Int32Array;
}

/** A value as bytes of its own. */
export const toBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  serialize(value) as Uint8Array<ArrayBuffer>;

/** The value that `toBytes` was given. */
export const fromBytes = (bytes: Uint8Array): unknown => deserialize(bytes);
