/**
 * A commit whose shards are on other machines, as a coordinator reads it: its mapping, and a
 * context over remote shards. Whole reads (rows, vectors of texts, the lag) go to any node that has
 * the commit.
 */
import type { CallContext, TableLag } from '@lakehouse-search/contract';
import { valueFromBytes, valueToBytes } from '../base/bytes/value-bytes.ts';
import { Deadline } from '../base/time/deadline.ts';
import type { Embedder, ModelIdentity, Texts } from '../embed/embedder.ts';
import type { CommitHeader } from '../local/node/node-reads.ts';
import { mappingOfCommit } from '../open/open-index.ts';
import type { Mapping } from '../schema/mapping.ts';
import { type CommitView, lagAfter, type SearchContext } from '../search/context.ts';
import type { RowCost } from '../search/fetch/rows.ts';
import type { ReadTableRows } from '../search/fetch/table-rows.ts';
import { errorFromPlain, type PlainError } from '../shard/bytes.ts';
import type { Shard } from '../shard/shard.ts';
import { unlessAborted } from '../source/source-errors.ts';

/** Sends a read of a node as bytes, and brings its answer. */
export type SendRead = (operation: string, request: Uint8Array) => Promise<Uint8Array>;

/** The answer to a read of a whole commit. Throws what the node throws, unreachable. */
export type AskCommit = <T>(operation: string, request: object) => Promise<T>;

/** A commit of an index whose shards are elsewhere. */
export interface RemoteCommit {
  readonly view: CommitView;
  readonly mapping: Mapping;
  /** Models whose identity is known, by name. */
  readonly models: Map<string, ModelIdentity>;
  lag: { readonly at: number; readonly value: Promise<TableLag> } | null;
}

/** Reads what a coordinator needs of a commit. Throws as the read. */
export async function openRemoteCommit(ask: AskCommit): Promise<RemoteCommit> {
  const header = await ask<CommitHeader>('commit', {});
  const { definition, generation, snapshot_id, commit } = header;
  const { schema, ...own } = commit;
  const checkpoint = schema === null ? null : { schema, snapshot_id };
  return {
    view: { generation, checkpoint, commit: own },
    mapping: mappingOfCommit({ ...own, checkpoint }, definition),
    models: new Map(),
    lag: null,
  };
}

/** What the shards of a read are, and how the whole commit is read. */
export interface RemoteIndex {
  readonly commit: RemoteCommit;
  readonly shards: readonly Shard[];
  readonly ask: AskCommit;
  /** The same for reads that several calls share: what ends one of them ends no other. */
  readonly askShared: AskCommit;
  /** Age in milliseconds from which a lag is read again. */
  readonly freshnessMs: number;
}

/** What a read of a remote commit works on. */
export function remoteContext(index: RemoteIndex, call: CallContext): SearchContext {
  const { commit, shards, ask } = index;
  return {
    mapping: commit.mapping,
    snapshot: commit.view,
    shards,
    tenant: call.principal?.tenant,
    deadline: Deadline.of(call),
    openModel: (model, checksum) => remoteModel(commit, ask, model, checksum),
    readRows: async (wanted, columns, cost, as_of) => {
      const request = { wanted, columns, as_of };
      const read = await ask<ReadTableRows & { cost: RowCost }>('rows', request);
      cost.bytes += read.cost.bytes;
      cost.requests += read.cost.requests;
      return read;
    },
    lag: (now) => unlessAborted(() => lagOf(index, now), call.signal),
    hasReached: (id) => ask<boolean>('reached', { id }),
  };
}

function lagOf({ commit, askShared, freshnessMs }: RemoteIndex, now?: 'now'): Promise<TableLag> {
  const at = performance.now();
  if (now === undefined && commit.lag !== null && at - commit.lag.at < freshnessMs) {
    return commit.lag.value;
  }
  const value = askShared<TableLag>('lag', { now: now === 'now' }).catch(lagAfter);
  value.catch(() => {});
  commit.lag = { at, value };
  return value;
}

async function remoteModel(
  { models }: RemoteCommit,
  ask: AskCommit,
  model: string,
  checksum: string | undefined,
): Promise<Embedder> {
  const embed = async ({ offsets, bytes }: Texts) => {
    const request = { model, checksum, offsets, bytes };
    const { identity, vectors } = await ask<Embedded>('embed', request);
    models.set(model, identity);
    return vectors;
  };
  if (!models.has(model)) await embed({ offsets: new Int32Array(1), bytes: new Uint8Array() });
  return { identity: models.get(model)!, embed, close: async () => {} };
}

interface Embedded {
  readonly identity: ModelIdentity;
  readonly vectors: Float32Array;
}

/** A request of a read that is none of a shard, as bytes. */
export const nodeRequest = (operation: string, request: object): Uint8Array =>
  valueToBytes(`${operation} request`, request);

/** The answer to such a read. Throws what the node throws. */
export function nodeAnswer<T>(operation: string, bytes: Uint8Array): T {
  const read = valueFromBytes(`${operation} answer`, bytes) as { result: T; error?: PlainError };
  if (read.error !== undefined) throw errorFromPlain(read.error);
  return read.result;
}

/** The answer of a node to such a read. Throws what the node throws. */
export const askNode = async <T>(send: SendRead, operation: string, request: object): Promise<T> =>
  nodeAnswer(operation, await send(operation, nodeRequest(operation, request)));
