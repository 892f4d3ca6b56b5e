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

/** Sends a read of a whole commit to a node, and brings its answer. */
export type SendWhole = (operation: string, request: Uint8Array) => Promise<Uint8Array>;

/** A commit of an index whose shards are elsewhere. */
export interface RemoteCommit {
  readonly view: CommitView;
  readonly mapping: Mapping;
  /** Models whose identity is known, by name. */
  readonly models: Map<string, ModelIdentity>;
  lag: { readonly at: number; readonly value: Promise<TableLag> } | null;
}

/** Reads what a coordinator needs of a commit. Throws as the read. */
export async function openRemoteCommit(send: SendWhole): Promise<RemoteCommit> {
  const header = await askNode<CommitHeader>(send, 'commit', {});
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
  readonly send: SendWhole;
  /** The same for reads that several calls share: what ends one of them ends no other. */
  readonly sendShared: SendWhole;
  /** Age in milliseconds from which a lag is read again. */
  readonly freshnessMs: number;
}

/** What a read of a remote commit works on. */
export function remoteContext(index: RemoteIndex, call: CallContext): SearchContext {
  const { commit, shards, send } = index;
  return {
    mapping: commit.mapping,
    snapshot: commit.view,
    shards,
    tenant: call.principal?.tenant,
    deadline: Deadline.of(call),
    openModel: (model, checksum) => remoteModel(commit, send, model, checksum),
    readRows: async (wanted, columns, cost, as_of) => {
      const request = { wanted, columns, as_of };
      const read = await askNode<ReadTableRows & { cost: RowCost }>(send, 'rows', request);
      cost.bytes += read.cost.bytes;
      cost.requests += read.cost.requests;
      return read;
    },
    lag: (now) => unlessAborted(() => lagOf(index, now), call.signal),
    hasReached: (id) => askNode<boolean>(send, 'reached', { id }),
  };
}

function lagOf({ commit, sendShared, freshnessMs }: RemoteIndex, now?: 'now'): Promise<TableLag> {
  const at = performance.now();
  if (now === undefined && commit.lag !== null && at - commit.lag.at < freshnessMs) {
    return commit.lag.value;
  }
  const value = askNode<TableLag>(sendShared, 'lag', { now: now === 'now' }).catch(lagAfter);
  value.catch(() => {});
  commit.lag = { at, value };
  return value;
}

async function remoteModel(
  { models }: RemoteCommit,
  send: SendWhole,
  model: string,
  checksum: string | undefined,
): Promise<Embedder> {
  const embed = async ({ offsets, bytes }: Texts) => {
    const request = { model, checksum, offsets, bytes };
    const { identity, vectors } = await askNode<Embedded>(send, 'embed', request);
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

/** The answer of a node to a read that is none of a shard. Throws what the node throws. */
export async function askNode<T>(send: SendWhole, operation: string, request: object): Promise<T> {
  const bytes = await send(operation, valueToBytes(`${operation} request`, request));
  const read = valueFromBytes(`${operation} answer`, bytes) as { result: T; error?: PlainError };
  if (read.error !== undefined) throw errorFromPlain(read.error);
  return read.result;
}
