/** The internal service of a node: its state, and reads of its commits. */

import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type {
  Server,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { NODE_METHODS } from '@lakehouse-search/client/internal';
import type { CallContext } from '@lakehouse-search/contract';
import type { NodeReads } from '@lakehouse-search/engine/internal';
import { readNodeCall } from '../cluster/cluster-token.ts';
import type { NodeRead } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { messageOfState, PROTOCOL, requireProtocol } from '../cluster/node-wire.ts';
import { textOf } from '../grpc/arrived.ts';
import { clusterScreen } from '../grpc/cluster-screen.ts';
import { bytesMethod } from '../grpc/screen.ts';
import { statusOf } from '../grpc/status-of.ts';
import type { NodeSpans } from '../observe/node-spans.ts';
import type { FollowedPlaces } from './followed-places.ts';
import type { RemoveIndex } from './remove-index.ts';

/** What the internal service answers with. */
export interface NodeServiceOptions {
  readonly reads: NodeReads;
  readonly followed: FollowedPlaces;
  readonly removeIndex: RemoveIndex;
  readonly key?: string | undefined;
  /** Name of the node. */
  readonly node: () => string;
  /** The ordinals of shards that it was started for. */
  readonly takes: readonly number[];
  /** Makes spans of reads. Absent: there are none. */
  readonly nodeSpans?: NodeSpans | undefined;
}

/** What a node holds now. */
export function stateOf(options: NodeServiceOptions): NodeState {
  const { reads, followed, node, takes } = options;
  return { node: node(), indexes: reads.state(), takes, followed: followed.state() };
}

/** The same once the node has what it was started for. Throws unreachable if it cannot have that. */
async function stateAfterStart(options: NodeServiceOptions): Promise<NodeState> {
  const state = stateOf(options);
  if (state.indexes.length + state.followed.length > 0) return state;
  await options.followed.requireOpen();
  return stateOf(options);
}

type Call = ServerUnaryCall<Buffer, Buffer>;
type Answer = (
  bytes: Buffer,
  call: CallContext,
  traceparent: string | undefined,
) => Promise<Uint8Array>;

/** Bytes of a read of a commit. */
const READ_BYTES = 64 * 1024 * 1024;
/** Bytes of other requests. */
const REQUEST_BYTES = 1024 * 1024;

/** Adds the internal service to the gRPC server of a node. */
export function addNodeService(server: Server, options: NodeServiceOptions): void {
  const { state, read, removeIndex } = NODE_METHODS;
  const handlers: readonly (readonly [string, { readonly path: string }, Answer])[] = [
    [
      'GetState',
      state,
      async () => toBinary(state.output, messageOfState(await stateAfterStart(options))),
    ],
    [
      'Read',
      read,
      async (bytes, call, traceparent) => {
        const wanted = fromBinary(read.input, bytes);
        requireProtocol(wanted.protocol, 'the gateway');
        const { reads } = options.followed.placeOf(wanted.index) ?? options;
        const run = () => reads.read(wanted, call);
        const answer = await inSpan(options, wanted, traceparent, run);
        return toBinary(read.output, create(read.output, { answer, protocol: PROTOCOL }));
      },
    ],
    [
      'RemoveIndex',
      removeIndex,
      async (bytes) => {
        const removed = await options.removeIndex(fromBinary(removeIndex.input, bytes));
        const response = removed === undefined ? '' : JSON.stringify(removed);
        return toBinary(removeIndex.output, create(removeIndex.output, { response }));
      },
    ],
  ];
  const screen = (path: string) =>
    clusterScreen(options.key, path === read.path ? READ_BYTES : REQUEST_BYTES);
  const definition = handlers.map(([name, { path }]) => [name, bytesMethod(path, screen(path))]);
  const implementation = handlers.map(([name, , answer]) => [name, handlerOf(options, answer)]);
  server.addService(
    Object.fromEntries(definition) as ServiceDefinition,
    Object.fromEntries(implementation) as UntypedServiceImplementation,
  );
}

/** Runs a read in a span, if spans are made. */
function inSpan<T>(
  { nodeSpans, node }: NodeServiceOptions,
  { index, shard, operation }: Pick<NodeRead, 'index' | 'shard' | 'operation'>,
  traceparent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (nodeSpans === undefined) return work();
  return nodeSpans.received(traceparent, { node: node(), index, shards: [shard], operation }, work);
}

function handlerOf({ key }: NodeServiceOptions, answer: Answer) {
  return (call: Call, callback: sendUnaryData<Buffer>): void => {
    const stop = new AbortController();
    let ended = false;
    // grpc-js reports every call that has ended as cancelled, and an abort builds a stack.
    call.on('cancelled', () => {
      if (!ended) stop.abort();
    });
    const run = async () => {
      const context = contextOf(call, key, stop.signal);
      return answer(call.request, context, textOf(call.metadata, 'traceparent'));
    };
    const end = (...[error, bytes]: Parameters<typeof callback>) => {
      ended = true;
      callback(error, bytes);
    };
    run().then(
      (bytes) => end(null, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
      (error: unknown) => end(statusOf(error)),
    );
  };
}

function contextOf(
  call: Pick<Call, 'metadata' | 'getDeadline'>,
  key: string | undefined,
  signal: AbortSignal,
): CallContext {
  const { principal } = readNodeCall(key, textOf(call.metadata, 'authorization'));
  const deadline = Number(call.getDeadline());
  return {
    signal,
    ...(Number.isFinite(deadline) ? { deadline } : {}),
    ...(principal === undefined ? {} : { principal }),
  };
}
