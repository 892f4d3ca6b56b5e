/** The control plane as nodes and gateways call it: registration and routing over gRPC. */
import { randomUUID } from 'node:crypto';
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  CONTROL_PLANE_METHODS,
  openChannel,
  type RoutingReply,
  type UnaryChannel,
} from '@lakehouse-search/client/internal';
import { LhsError, type Principal } from '@lakehouse-search/contract';
import { isUnreachable } from '@lakehouse-search/contract/internal';
import type { VerifiedCaller } from '../access/remembered-callers.ts';
import { signNodeCall } from '../cluster/cluster-token.ts';
import { FirstThatAnswers } from '../cluster/first-that-answers.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { messageOfState } from '../cluster/node-wire.ts';
import type { NodeLease, Registrar } from '../cluster/registrar.ts';
import type { RoutedIndex, RoutingSource } from '../cluster/routing.ts';
import { type ProbeNode, SilentNodes } from '../cluster/silent-nodes.ts';
import { type RepeatedFaults, shownError } from '../observe/repeated-faults.ts';
import { pause } from './leader/leadership.ts';

const CALL_MS = 5000;
const WAIT_MS = 10_000;
const RETRY_MS = 250;
const WATCH = 'watch of routes';

interface Method<In extends DescMessage, Out extends DescMessage> {
  readonly path: string;
  readonly input: In;
  readonly output: Out;
}

/** The internal service of the control planes: a late answer counts as none. */
class ControlPlanes {
  readonly #key: string | undefined;
  readonly #planes: FirstThatAnswers<Plane>;
  readonly #end = new AbortController();

  constructor({ addresses, key }: ControlPlaneClientOptions) {
    this.#key = key;
    const open = (address: string) => ({ address, channel: openChannel(address, false) });
    this.#planes = new FirstThatAnswers(addresses.map(open));
  }

  /** Throws unreachable if none answers, and what the first one that answers throws. */
  call<In extends DescMessage, Out extends DescMessage>(
    method: Method<In, Out>,
    request: MessageShape<In>,
    ms: number,
  ): Promise<MessageShape<Out>> {
    return this.#planes.call((plane) => this.#callOne(plane, method, request, ms));
  }

  /** Cancels the calls that run. */
  close(): void {
    this.#end.abort();
    for (const { channel } of this.#planes.all) channel.close();
  }

  async #callOne<In extends DescMessage, Out extends DescMessage>(
    { address, channel }: Plane,
    { path, input, output }: Method<In, Out>,
    request: MessageShape<In>,
    ms: number,
  ): Promise<MessageShape<Out>> {
    const authorization = signNodeCall(this.#key, {});
    const call = { deadline: Date.now() + ms, authorization, signal: this.#end.signal };
    try {
      return fromBinary(output, await channel.call(path, toBinary(input, request), call));
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== 'deadline_exceeded') throw error;
      const message = `the control plane at ${address} did not answer within ${ms} ms`;
      throw new LhsError('unreachable', message, { cause: error });
    }
  }
}

/** A control plane, and the connection to it. */
interface Plane {
  readonly address: string;
  readonly channel: UnaryChannel;
}

/** How the control planes of a cluster are reached. */
export interface ControlPlaneClientOptions {
  /** HOST:PORT of the gRPC of each. */
  readonly addresses: readonly string[];
  /** The key of the cluster. */
  readonly key?: string | undefined;
}

/** Registers a node with the control plane. One process has one. */
export function controlPlaneRegistrar(options: ControlPlaneClientOptions): Registrar {
  const planes = new ControlPlanes(options);
  const instance = randomUUID();
  const { register } = CONTROL_PLANE_METHODS;
  let epoch = 0;
  const send = (address: string, state: NodeState, leaves: boolean) => {
    const own = { address, instance, epoch: BigInt(epoch), leaves, state: messageOfState(state) };
    return planes.call(register, create(register.input, own), CALL_MS);
  };
  return {
    async register(address, state): Promise<NodeLease> {
      const asked = Date.now();
      const reply = await send(address, state, false);
      epoch = Number(reply.epoch);
      const assignments = reply.assignments.map(({ index, definition }) => ({ index, definition }));
      const dropped = reply.dropped.map(({ index, uuid }) => ({ index, uuid }));
      const followed = reply.followed.map(({ index, place }) => ({ index, place }));
      const { left } = reply;
      return { epoch, expires_ms: asked + reply.ttlMs, assignments, dropped, followed, left };
    },
    leave: async (address, state) => void (await send(address, state, true)),
    close: async () => planes.close(),
  };
}

/** The accounts of a cluster, for gateways. */
export interface ControlPlaneAccounts {
  /** The caller of a header. Throws unauthenticated, unreachable. */
  authenticate(authorization: string | undefined): Promise<VerifiedCaller>;
  /** Makes the first account if there is none; a password that was generated for it. */
  open(password: string | undefined): Promise<string | undefined>;
  close(): void;
}

/** Accounts in the store of the control planes. */
export function controlPlaneAccounts(options: ControlPlaneClientOptions): ControlPlaneAccounts {
  const planes = new ControlPlanes(options);
  const { authenticate, openAccounts } = CONTROL_PLANE_METHODS;
  return {
    async authenticate(authorization) {
      const own = authorization === undefined ? {} : { authorization };
      const reply = await planes.call(authenticate, create(authenticate.input, own), CALL_MS);
      const { principal, expiresMs } = reply;
      return {
        principal: JSON.parse(principal) as Principal,
        expiresMs: expiresMs === undefined ? null : Number(expiresMs),
      };
    },
    async open(password) {
      const own = password === undefined ? {} : { password };
      const reply = await planes.call(openAccounts, create(openAccounts.input, own), CALL_MS);
      return reply.password;
    },
    close: () => planes.close(),
  };
}

/** How a gateway learns its routing. */
export interface ControlPlaneRoutingOptions extends ControlPlaneClientOptions {
  /** Asks a node whether it answers. */
  readonly probe: ProbeNode;
  /** Notes control planes and nodes that do not answer. */
  readonly faults?: RepeatedFaults;
}

/** The routing of the control planes of a cluster. */
export interface PlaneRouting extends Omit<RoutingSource, 'outdated'> {
  /** A control plane has answered. */
  readonly isKnown: boolean;
}

/**
 * The routing that the control plane publishes. It is there when the promise resolves, unless no
 * control plane can be reached yet. Throws what one answers, such as unauthenticated.
 */
export async function controlPlaneRouting(
  options: ControlPlaneRoutingOptions,
): Promise<PlaneRouting> {
  const routing = new ControlPlaneRouting(options);
  await routing.start();
  return routing;
}

class ControlPlaneRouting implements PlaneRouting {
  readonly #planes: ControlPlanes;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #silent: SilentNodes;
  readonly #faults: RepeatedFaults | undefined;
  #version = '';
  #fault: unknown;
  #names: readonly string[] = [];
  #aliases: ReadonlyMap<string, string> = new Map();
  #indexes: ReadonlyMap<string, RoutedIndex> = new Map();
  #watching: Promise<void> = Promise.resolve();

  constructor(options: ControlPlaneRoutingOptions) {
    this.#planes = new ControlPlanes(options);
    this.#faults = options.faults;
    this.#silent = new SilentNodes(options.probe, undefined, options.faults);
  }

  get isKnown(): boolean {
    return this.#version !== '';
  }

  async start(): Promise<void> {
    try {
      this.#take(await this.#get('', 0));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#fault = error;
    }
    this.#watching = this.#watch();
  }

  requireComplete(): void {
    if (this.isKnown) return;
    const why = shownError(this.#fault).message;
    throw new LhsError('unreachable', `no control plane has answered yet: ${why}`, {
      hint: 'start the control plane, or name the right one in "cluster.control_plane"',
    });
  }

  names = (): readonly string[] => this.#names;
  aliases = (): ReadonlyMap<string, string> => this.#aliases;
  current = (index: string): RoutedIndex | undefined => this.#indexes.get(index);

  async refresh(): Promise<void> {
    await this.#get(this.#version, 0).then(
      (reply) => this.#take(reply),
      () => {},
    );
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  isDown = (address: string): boolean => this.#silent.faultOf(address) !== undefined;
  faultOf = (address: string): LhsError | undefined => this.#silent.faultOf(address);
  failed = (address: string, fault: LhsError): void => this.#silent.failed(address, fault);

  async close(): Promise<void> {
    this.#stop.abort();
    this.#silent.close();
    this.#planes.close();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#take(await this.#get(this.#version, WAIT_MS));
        this.#faults?.succeeded(WATCH);
      } catch (error) {
        // The routing that is known stays in force while no control plane answers.
        this.#fault = error;
        if (!signal.aborted) this.#faults?.failed(WATCH, error);
        await pause(RETRY_MS, signal);
      }
    }
  }

  #get(known: string, waitMs: number): Promise<RoutingReply> {
    const { routing } = CONTROL_PLANE_METHODS;
    return this.#planes.call(routing, create(routing.input, { known, waitMs }), waitMs + CALL_MS);
  }

  #take({ version, names, aliases, indexes }: RoutingReply): void {
    if (version === this.#version || this.#stop.signal.aborted) return;
    this.#version = version;
    this.#names = names;
    this.#aliases = new Map(aliases.map(({ alias, index }) => [alias, index]));
    this.#indexes = new Map(
      indexes.map(({ index, generation, snapshot = null, shards }) => [
        index,
        {
          ...{ index, snapshot, generation: Number(generation) },
          shards: shards.map(({ replicas }, ordinal) => ({ ordinal, replicas })),
        },
      ]),
    );
    for (const listener of this.#listeners) listener();
  }
}
