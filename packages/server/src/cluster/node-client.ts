import {
  create,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { NODE_METHODS, openChannel, type UnaryChannel } from '@lakehouse-search/client/internal';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { CallContext, DropResponse } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { type NodeClaims, signNodeCall } from './cluster-token.ts';
import type { NodeState } from './node-state.ts';
import { PROTOCOL, requireProtocol, stateOfMessage } from './node-wire.ts';
import type { DroppedIndex } from './registrar.ts';

/** A read of a commit. The request and the answer are in the byte form of the engine. */
export interface NodeRead {
  readonly index: string;
  /** A commit of the node's state, or `pit:` and the id of a point in time of the node. */
  readonly commit: string;
  readonly shard: number;
  /** An operation of `Shard`, or `commit`, `rows`, `embed`, `lag`, `reached`. */
  readonly operation: string;
  readonly request: Uint8Array;
}

/** The context of a read. */
export interface NodeCall extends CallContext {
  /** The span of the read, as the header has it. */
  readonly traceparent?: string;
}

/**
 * A node as gateways and the control plane see it. Calls throw `unreachable` where the node does
 * not answer.
 */
export interface NodeClient {
  /** HOST:PORT. */
  readonly address: string;
  state(call?: CallContext): Promise<NodeState>;
  read(read: NodeRead, call?: NodeCall): Promise<Uint8Array>;
  /**
   * Removes an index that the cluster has dropped; undefined if the node does not hold it. Throws
   * index_busy, and unsupported if the node has a former version.
   */
  removeIndex(dropped: DroppedIndex, call?: CallContext): Promise<DropResponse | undefined>;
  /** The public operations of the node. `epoch`: writes are made under a lease. */
  service(epoch?: number): ServiceApi;
  close(): Promise<void>;
}

/** How nodes are called. */
export interface NodeClientOptions {
  /** The key of the cluster; absent: nodes are open. */
  readonly key?: string | undefined;
}

/** A node at an address. The connection is opened with the first call. */
export function connectNode(address: string, options: NodeClientOptions = {}): NodeClient {
  return new GrpcNode(address, options.key);
}

class GrpcNode implements NodeClient {
  readonly address: string;
  readonly #key: string | undefined;
  readonly #channel: UnaryChannel;
  readonly #services = new Map<number | undefined, ServiceApi>();

  constructor(address: string, key: string | undefined) {
    this.address = address;
    this.#key = key;
    this.#channel = openChannel(address, false);
  }

  async state(call?: CallContext): Promise<NodeState> {
    const { state } = NODE_METHODS;
    return stateOfMessage(await this.#unary(state, create(state.input), call));
  }

  async read(read: NodeRead, call?: NodeCall): Promise<Uint8Array> {
    const method = NODE_METHODS.read;
    const request = create(method.input, { ...read, protocol: PROTOCOL });
    const { answer, protocol } = await this.#unary(method, request, call);
    requireProtocol(protocol, `node ${this.address}`);
    return answer;
  }

  async removeIndex({ index, uuid }: DroppedIndex, call?: CallContext) {
    const method = NODE_METHODS.removeIndex;
    const request = create(method.input, { index, uuid });
    const { response } = await this.#unary(method, request, call);
    return response === '' ? undefined : (JSON.parse(response) as DropResponse);
  }

  service(epoch?: number): ServiceApi {
    const known = this.#services.get(epoch);
    if (known !== undefined) return known;
    const made = createRemote({
      url: `grpc://${this.address}`,
      ...{ retryMs: 0, timeoutMs: 0 },
      authorization: (call) => signNodeCall(this.#key, claimsOf(call, epoch)),
    });
    this.#services.set(epoch, made);
    return made;
  }

  async close(): Promise<void> {
    this.#channel.close();
    for (const service of this.#services.values()) await service.close();
  }

  #unary<In extends DescMessage, Out extends DescMessage>(
    method: MessageMethod<In, Out>,
    request: MessageShape<In>,
    { signal, deadline, principal, traceparent }: NodeCall = {},
  ): Promise<MessageShape<Out>> {
    const authorization = signNodeCall(this.#key, claimsOf({ principal }));
    const call = { signal, deadline, authorization, traceparent };
    return callUnary(this.#channel, method, request, call);
  }
}

/** A method of an internal service. */
export interface MessageMethod<In extends DescMessage, Out extends DescMessage> {
  readonly path: string;
  readonly input: In;
  readonly output: Out;
}

/** The reply to a message. Throws as the channel does. */
export async function callUnary<In extends DescMessage, Out extends DescMessage>(
  channel: UnaryChannel,
  { path, input, output }: MessageMethod<In, Out>,
  request: MessageShape<In>,
  call: Parameters<UnaryChannel['call']>[2],
): Promise<MessageShape<Out>> {
  return fromBinary(output, await channel.call(path, toBinary(input, request), call));
}

function claimsOf({ principal }: CallContext, epoch?: number): NodeClaims {
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(epoch === undefined ? {} : { epoch }),
  };
}
