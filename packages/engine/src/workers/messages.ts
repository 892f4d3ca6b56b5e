/**
 * What the engine and its search threads send each other. A whole read travels as JSON, as it would
 * to a server; an operation of one shard in the byte form of `node:v8`, which copies views alone,
 * not the whole memory behind them.
 */
import { deserialize, serialize } from 'node:v8';
import type { TimeLeft } from '../base/time/deadline.ts';
import type { ExportCursor, PageRequest } from '../open/export-page.ts';
import type { Definition } from '../schema/definition.ts';
import type { PlainError } from '../shard/bytes.ts';
import type { ShardOperation } from '../shard/shard.ts';
import type { LongAnswer } from './long-answer.ts';

/** A commit that a thread opens. */
export interface CommitSource {
  /** Tells it from the other commits of this process. */
  readonly id: number;
  /** The folder of its generation. */
  readonly path: string;
  readonly generation: number;
  /** The bytes of the commit. */
  readonly bytes: Uint8Array;
  readonly definition: Definition;
}

/** To a thread. It handles one message after the other. */
export type ToThread =
  | { readonly kind: 'open'; readonly source: CommitSource }
  | { readonly kind: 'close'; readonly commit: number }
  | ThreadCall;

/** Work on a commit that was opened. */
export interface ThreadCall {
  readonly kind: 'call';
  /** Differs from those of earlier calls. */
  readonly task: number;
  readonly commit: number;
  readonly work: ThreadWork;
}

/** What a thread can do: answer a read over all shards, a page of them, an operation of one. */
export type ThreadWork = WholeRead | ShardWork | ExportWork;

/** The reads that a thread answers whole. */
export type ReadName = 'search' | 'aggregate' | 'facets' | 'suggest' | 'clauseCounts';

/** A read of the contract. */
export interface WholeRead {
  readonly kind: 'read';
  readonly read: ReadName;
  /** The request as JSON text. */
  readonly request: string;
  /** Restricts the read to the documents of this tenant. */
  readonly tenant: string | undefined;
  readonly time: TimeLeft;
}

/** An operation of one shard. */
export interface ShardWork {
  readonly kind: 'shard';
  readonly shard: number;
  readonly operation: ShardOperation;
  readonly request: Uint8Array;
}

/** A page of an export. */
export interface ExportWork {
  readonly kind: 'export';
  /** Absent: all documents, or all of the tenant. */
  readonly query: string | undefined;
  readonly tenant: string | undefined;
  readonly page: PageRequest;
}

/** Documents of a page as JSON, each text a list of some, so that no reader parses all at once. */
export interface ExportTexts {
  readonly texts: readonly string[];
  readonly docs: number;
  readonly after: ExportCursor | null;
  /** Time that the thread took. */
  readonly millis: number;
}

/**
 * The answer to work: JSON of a read, bytes of an operation; null: the read needs a model or
 * the table, which only the engine has.
 */
export type ThreadAnswer = string | LongAnswer | Uint8Array | ExportTexts | null;

/** What a thread sends for a call. */
export type FromThread =
  | { readonly kind: 'done'; readonly task: number; readonly answer: ThreadAnswer }
  | { readonly kind: 'failed'; readonly task: number; readonly error: PlainError }
  /** Files of the commit could not be opened: they were replaced, or are damaged. */
  | { readonly kind: 'unopened'; readonly task: number };

/** What a thread is created with. */
export interface ThreadSettings {
  /** Threads that share the memory of the process's caches. */
  readonly threads: number;
  /** One i32 in shared memory: 1 if the call that runs was canceled. */
  readonly canceled: Int32Array;
  /** Bytes of blocks of cold windows in its memory while it has no call. */
  readonly coldBytes: number;
  /** In shared memory: the thread's figures of cold windows, after each of its calls. */
  readonly coldFigures: Float64Array;
}

/** A value as bytes of its own. */
export const toBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  serialize(value) as Uint8Array<ArrayBuffer>;

/** The value that `toBytes` was given. */
export const fromBytes = (bytes: Uint8Array): unknown => deserialize(bytes);
