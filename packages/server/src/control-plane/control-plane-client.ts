/** The control plane as nodes and gateways call it, over gRPC. */
import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import {
  CONTROL_PLANE_METHODS,
  openChannel,
  type UnaryChannel,
} from '@lakehouse-search/client/internal';
import { LhsError, type Principal } from '@lakehouse-search/contract';
import type { VerifiedCaller } from '../access/remembered-callers.ts';
import { signNodeCall } from '../cluster/cluster-token.ts';
import { FirstThatAnswers } from '../cluster/first-that-answers.ts';
import { callUnary, type MessageMethod } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { messageOfState } from '../cluster/node-wire.ts';
import type { NodeLease, Registrar } from '../cluster/registrar.ts';

/** Time of a call that does not wait. */
export const CALL_MS = 5000;

/** The internal service of the control planes: a late answer counts as none. */
export class ControlPlanes {
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
    method: MessageMethod<In, Out>,
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
    method: MessageMethod<In, Out>,
    request: MessageShape<In>,
    ms: number,
  ): Promise<MessageShape<Out>> {
    const authorization = signNodeCall(this.#key, {});
    const call = { deadline: Date.now() + ms, authorization, signal: this.#end.signal };
    try {
      return await callUnary(channel, method, request, call);
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
      const { ttlMs, assignments, dropped, followed, left } = reply;
      return { expires_ms: asked + ttlMs, assignments, dropped, followed, left };
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
