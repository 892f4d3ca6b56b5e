import { type CallContext, LhsError } from '@lakehouse-search/contract';
import {
  type AnswerOf,
  decodeAnswer,
  encodeRequest,
  type RequestOf,
  type Shard,
  type ShardOperation,
  shardFrom,
} from '@lakehouse-search/engine/internal';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeWatch } from '../cluster/node-watch.ts';
import type { Replica, RoutedShard, RoutingSource } from '../cluster/routing.ts';
import type { NodeSpans } from '../observe/node-spans.ts';
import type { ReadTime } from './read-time.ts';

/** What shards of one read share. */
export interface ShardReach {
  readonly index: string;
  readonly routing: Pick<RoutingSource, 'isDown' | 'faultOf' | 'failed'>;
  readonly node: (address: string) => NodeClient;
  /** Ends reads of nodes that are stopped. */
  readonly watch: NodeWatch;
  /** Time of a node for all steps of the read. */
  readonly time: ReadTime;
  readonly call: CallContext;
  /** Makes a span of each read. Absent: there are none. */
  readonly nodeSpans?: NodeSpans | undefined;
}

const STATUS_HINT = 'the status of the index names missing shards and what is done about them';

/** Operations whose answers, or requests, name documents by their numbers in one commit. */
const ADDRESSED: ReadonlySet<ShardOperation> = new Set([
  'search',
  'nearest',
  'aggregate',
  'explain',
  'fetch',
]);

/**
 * A shard on other machines, for one read. If its node fails, the next one that has the shard is
 * tried. An operation that names documents of an earlier answer stays with the commit of that
 * answer: in other commits, its documents have other numbers.
 */
export function replicatedShard(shard: RoutedShard, reach: ShardReach): Shard {
  const { routing } = reach;
  let left: readonly Replica[] = shard.replicas;
  let bound = false;
  const run = async <Name extends ShardOperation>(
    name: Name,
    request: RequestOf<Name>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Name>> => {
    const bytes = encodeRequest(name, request);
    const { time } = request as { readonly time?: { readonly millis: number } };
    const millis = time?.millis;
    for (;;) {
      const up = left.filter(({ address }) => !routing.isDown(address));
      if (left.length === 0 || (up.length === 0 && !bound)) throw noReplica(shard, reach);
      const [replica] = up.length > 0 ? up : left;
      try {
        const answer = await inSpan(reach, replica, [shard.ordinal], name, async (traceparent) => {
          const sent = { name, bytes, signal, millis, traceparent };
          return decodeAnswer(name, await readReplica(reach, replica, shard.ordinal, sent));
        });
        if (ADDRESSED.has(name)) {
          bound = true;
          left = left.filter(({ commit }) => commit === replica.commit);
        }
        return answer;
      } catch (error) {
        if (!isOfNode(error)) throw error;
        left = left.filter((one) => one !== replica);
        if (left.length === 0) throw error;
      }
    }
  };
  return shardFrom(run);
}

/** Runs a read of a node in a span, if spans are made. */
export function inSpan<T>(
  { index, nodeSpans }: ShardReach,
  { node }: Replica,
  shards: readonly number[],
  operation: string,
  work: (traceparent?: string) => Promise<T>,
): Promise<T> {
  if (nodeSpans === undefined) return work();
  return nodeSpans.sent({ node, index, shards, operation }, work);
}

/** Failures that another node with the same shard may not have. */
function isOfNode(error: unknown): boolean {
  const codes = ['unreachable', 'not_found', 'io_error', 'corrupt_index', 'internal', 'closed'];
  return error instanceof LhsError && codes.includes(error.code);
}

interface Sent {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly millis?: number | undefined;
  /** The span of the read. */
  readonly traceparent?: string | undefined;
}

/** The answer of one replica. Throws unreachable if the node does not answer in its time. */
export async function readReplica(
  { index, routing, node, watch, time, call }: ShardReach,
  { address, commit }: Replica,
  ordinal: number,
  { name, bytes, signal = call.signal, millis = Number.POSITIVE_INFINITY, traceparent }: Sent,
): Promise<Uint8Array> {
  const left = time.left();
  const isLimitOfNode = left <= millis && !time.isOfCall;
  const deadline = Date.now() + Math.max(1, Math.min(left, millis));
  const { principal } = call;
  const settings = {
    deadline,
    ...(principal === undefined ? {} : { principal }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  try {
    const read = { index, commit, shard: ordinal, operation: name, request: bytes };
    return await watch.whileAlive(address, signal, (watched) =>
      node(address).read(read, { ...settings, signal: watched }),
    );
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const late = isLimitOfNode && error.code === 'deadline_exceeded';
    const message = `node ${address} did not answer within ${time.millis} ms`;
    const shown = late ? new LhsError('unreachable', message, { cause: error }) : error;
    if (shown.code === 'unreachable') routing.failed(address, shown);
    throw shown;
  }
}

/** Says why each node is down; a node that has come back meanwhile is read by the next call. */
function noReplica({ ordinal, replicas }: RoutedShard, { index, routing }: ShardReach): LhsError {
  const why = (address: string) => {
    const message = routing.faultOf(address)?.message;
    return message === undefined ? address : `${address} (${message})`;
  };
  if (replicas.length === 0) return noData(`shard ${ordinal} of "${index}"`);
  const where = replicas.map(({ address }) => why(address)).join(', ');
  const message = `shard ${ordinal} of "${index}" is on ${where}: not reachable`;
  return new LhsError('unreachable', message, { hint: STATUS_HINT });
}

/** The error of an index or a shard whose nodes are gone, or have lost their disks. */
export const noData = (what: string): LhsError =>
  new LhsError('unreachable', `no node has the data of ${what}`, {
    hint: STATUS_HINT,
  });
