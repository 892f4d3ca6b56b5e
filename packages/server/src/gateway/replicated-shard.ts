import { LhsError } from '@lakehouse-search/contract';
import {
  type AnswerOf,
  decodeAnswer,
  encodeRequest,
  type RequestOf,
  type Shard,
  type ShardOperation,
  shardFrom,
} from '@lakehouse-search/engine/internal';
import type { Replica, RoutedShard } from '../cluster/routing.ts';
import { noData, type ReadReach, readable, readCopies, STATUS_HINT } from './read-copies.ts';

/** Operations whose answers, or requests, name documents by their numbers in one commit. */
const ADDRESSED: ReadonlySet<ShardOperation> = new Set([
  'search',
  'nearest',
  'aggregate',
  'explain',
  'fetch',
]);

/**
 * A shard on other machines, for one read (read-copies.ts). An operation that names documents of an
 * earlier answer stays with the commit of that answer: in other commits, its documents have other
 * numbers.
 */
export function replicatedShard(shard: RoutedShard, reach: ReadReach): Shard {
  const { routing } = reach;
  let left: readonly Replica[] = shard.replicas;
  let isBound = false;
  const run = async <Name extends ShardOperation>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Name>> => {
    const found = readable(left, routing);
    const copies = isBound && found.length === 0 ? left : found;
    if (copies.length === 0) throw noReplica(shard, reach);
    const { time } = request as { readonly time?: { readonly millis: number } };
    const read = {
      ...{ shards: [shard.ordinal], operation: name, request: encodeRequest(name, request) },
      ...{ decode: (bytes: Uint8Array) => decodeAnswer(name, bytes), signal, millis: time?.millis },
    };
    const failed = (copy: Replica) => {
      left = left.filter((one) => one !== copy);
    };
    const { answer, copy } = await readCopies(reach, copies, read, failed);
    if (ADDRESSED.has(name)) {
      isBound = true;
      left = left.filter(({ commit }) => commit === copy.commit);
    }
    return answer;
  };
  return shardFrom(run);
}

/** Says why each node is down; a node that has come back meanwhile is read by the next call. */
function noReplica({ ordinal, replicas }: RoutedShard, { index, routing }: ReadReach): LhsError {
  const why = (address: string) => {
    const message = routing.faultOf(address)?.message;
    return message === undefined ? address : `${address} (${message})`;
  };
  if (replicas.length === 0) return noData(`shard ${ordinal} of "${index}"`);
  const where = replicas.map(({ address }) => why(address)).join(', ');
  const message = `shard ${ordinal} of "${index}" is on ${where}: not reachable`;
  return new LhsError('unreachable', message, { hint: STATUS_HINT });
}
