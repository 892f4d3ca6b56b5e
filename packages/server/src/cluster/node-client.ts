import {
  create,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  type BuildEvent,
  CHANNEL_OPTIONS,
  errorOfStream,
  NODE_METHODS,
  openChannel,
  type UnaryChannel,
} from '@lakehouse-search/client/internal';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type {
  CallContext,
  DropResponse,
  Progress,
  ReindexResponse,
} from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { type NodeClaims, signNodeCall } from './cluster-token.ts';
import type { NodeState } from './node-state.ts';
import { stateOfMessage } from './node-wire.ts';
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

/** A generation that waits for its promotion. */
export interface StagedGeneration {
  readonly generation: number;
  readonly docs: number;
  readonly snapshot: string | null;
}

/** A step of a build; the last one has the generation. */
export type BuildStep = { readonly progress: Progress } | { readonly staged: StagedGeneration };

/** The end of a build. */
export interface EndedBuild {
  /** The commit that is live now. */
  readonly commit: string;
  /** What the build made. Absent: it was discarded, or the node has a former version. */
  readonly response?: ReindexResponse;
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
   * Builds the next generation of an index beside the live one. Aborting the call discards it.
   * `definition` (YAML) comes into force with the generation; without it, the one in force stays.
   */
  build(
    index: string,
    snapshot: string | null,
    call?: CallContext,
    definition?: string,
  ): AsyncIterable<BuildStep>;
  /** Promotes a staged generation, or discards it. */
  endBuild(
    index: string,
    generation: number,
    promote: boolean,
    call?: CallContext,
  ): Promise<EndedBuild>;
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

const same = (bytes: Buffer): Buffer => bytes;

/** A node at an address. The connection is opened with the first call. */
export function connectNode(address: string, options: NodeClientOptions = {}): NodeClient {
  return new GrpcNode(address, options.key);
}

class GrpcNode implements NodeClient {
  readonly address: string;
  readonly #key: string | undefined;
  readonly #channel: UnaryChannel;
  /** For streams; it is idle until the first of them. */
  readonly #client: Client;
  readonly #services = new Map<number | undefined, ServiceApi>();

  constructor(address: string, key: string | undefined) {
    this.address = address;
    this.#key = key;
    this.#channel = openChannel(address, false);
    this.#client = new Client(address, credentials.createInsecure(), CHANNEL_OPTIONS);
  }

  async state(call?: CallContext): Promise<NodeState> {
    const { state } = NODE_METHODS;
    return stateOfMessage(await this.#unary(state, create(state.input), call));
  }

  async read(read: NodeRead, call?: NodeCall): Promise<Uint8Array> {
    const method = NODE_METHODS.read;
    return (await this.#unary(method, create(method.input, read), call)).answer;
  }

  async *build(
    index: string,
    snapshot: string | null,
    call: CallContext = {},
    definition?: string,
  ) {
    const { path, input, output } = NODE_METHODS.build;
    const request = create(input, {
      index,
      ...(snapshot === null ? {} : { snapshot }),
      ...(definition === undefined ? {} : { definition }),
    });
    const bytes = Buffer.from(toBinary(input, request));
    const { metadata, options } = this.#settings(call);
    const own = this.#client.makeServerStreamRequest(path, same, same, bytes, metadata, options);
    const stop = cancelWith(call, () => own.cancel());
    try {
      for await (const item of own) yield stepOf(fromBinary(output, item as Buffer));
    } catch (error) {
      throw errorOfStream(error, this.address);
    } finally {
      stop();
      // The cancellation of a stream that is read no more arrives as an error of its own.
      own.on('error', () => {});
      own.cancel();
    }
  }

  async endBuild(
    index: string,
    generation: number,
    promote: boolean,
    call?: CallContext,
  ): Promise<EndedBuild> {
    const method = NODE_METHODS.endBuild;
    const request = create(method.input, { index, generation, promote });
    const { commit, response } = await this.#unary(method, request, call);
    return response === '' ? { commit } : { commit, response: JSON.parse(response) };
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
    this.#client.close();
    for (const service of this.#services.values()) await service.close();
  }

  async #unary<In extends DescMessage, Out extends DescMessage>(
    { path, input, output }: Method<In, Out>,
    request: MessageShape<In>,
    { signal, deadline, principal, traceparent }: NodeCall = {},
  ): Promise<MessageShape<Out>> {
    const authorization = signNodeCall(this.#key, claimsOf({ principal }));
    const call = { signal, deadline, authorization, traceparent };
    return fromBinary(output, await this.#channel.call(path, toBinary(input, request), call));
  }

  #settings(call: CallContext) {
    const metadata = new Metadata();
    const header = signNodeCall(this.#key, claimsOf(call));
    if (header !== undefined) metadata.set('authorization', header);
    const { deadline } = call;
    return { metadata, options: deadline === undefined ? {} : { deadline } };
  }
}

interface Method<In extends DescMessage, Out extends DescMessage> {
  readonly path: string;
  readonly input: In;
  readonly output: Out;
}

function claimsOf({ principal }: CallContext, epoch?: number): NodeClaims {
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(epoch === undefined ? {} : { epoch }),
  };
}

/** Runs `cancel` once the call is aborted. Returns what ends that. */
function cancelWith({ signal }: CallContext, cancel: () => void): () => void {
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  return () => signal?.removeEventListener('abort', cancel);
}

function stepOf({ progress, staged }: BuildEvent): BuildStep {
  if (staged === undefined) return { progress: JSON.parse(progress) as Progress };
  const { generation, docs, snapshot = null } = staged;
  return { staged: { generation, docs: Number(docs), snapshot } };
}
