import { create } from '@bufbuild/protobuf';
import {
  CONTROL_PLANE_METHODS,
  type RegisterReply,
  type RegisterRequest,
  type RoutingReply,
  type RoutingRequest,
} from '@lakehouse-search/client/internal';
import { LhsError } from '@lakehouse-search/contract';
import { isUnreachable } from '@lakehouse-search/contract/internal';
import { homePlace, registeredDefinition } from '@lakehouse-search/engine/internal';
import type { VerifiedCaller } from '../access/remembered-callers.ts';
import { type InternalMethod, internalMethod, LARGE_BYTES } from '../cluster/internal-method.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { stateOfMessage } from '../cluster/node-wire.ts';
import { fencedOff } from '../store/leases.ts';
import type { Store } from '../store/open-store.ts';
import { pause } from './leader/leadership.ts';
import { refuseUnlicensed } from './operations/control-plane-api.ts';

/** What the internal service of a control plane works with. */
export interface ControlPlaneServiceOptions {
  readonly store: Store;
  /** A node without a heartbeat loses its lease after this time. */
  readonly nodeMs: number;
  /** Aborts when the server stops: calls that wait are answered. */
  readonly stopping: AbortSignal;
  /** The caller of a gateway. Throws unauthenticated. */
  readonly authenticate: (authorization: string | undefined) => Promise<VerifiedCaller>;
  /** Makes the first account; a password that was generated for it. */
  readonly openAccounts: (password: string | undefined) => Promise<string | undefined>;
}

const LOOK_MS = 50;
const MOST_WAIT_MS = 30_000;

/** Registration, routing and accounts, as nodes and gateways call them. */
export function controlPlaneMethods(
  options: ControlPlaneServiceOptions,
): readonly InternalMethod[] {
  const { register, routing, authenticate, openAccounts } = CONTROL_PLANE_METHODS;
  const currentRouting = rememberedRouting(options.store);
  return [
    internalMethod(register, (request) => registered(options, request), LARGE_BYTES),
    internalMethod(
      routing,
      (request) => changedRouting(currentRouting, request, options.stopping),
      LARGE_BYTES,
    ),
    internalMethod(authenticate, async ({ authorization }) => {
      const { principal, expiresMs } = await options.authenticate(authorization);
      return {
        principal: JSON.stringify(principal),
        ...(expiresMs === null ? {} : { expiresMs: BigInt(expiresMs) }),
      };
    }),
    internalMethod(openAccounts, async ({ password }) => {
      const generated = await options.openAccounts(password);
      return generated === undefined ? {} : { password: generated };
    }),
  ];
}

/** Registers a node, or renews its lease; says what it has to hold. */
async function registered(
  { store, nodeMs }: ControlPlaneServiceOptions,
  request: RegisterRequest,
): Promise<RegisterReply> {
  const state = stateOfMessage(request.state!);
  const { node } = state;
  if (node === '') throw new LhsError('invalid_argument', '"node" is empty: a node has a name');
  const epoch = Number(request.epoch);
  if (request.leaves) {
    await store.nodes.leave(node, epoch);
    return create(CONTROL_PLANE_METHODS.register.output);
  }
  const others = (await store.nodes.list()).filter((each) => each.node !== node);
  refuseUnlicensed((await store.license())?.nodeLimit ?? null, others.length);
  const { address, instance } = request;
  const own = { node, address, instance, state: JSON.stringify(state) };
  const stored = await store.nodes.register(own, epoch, nodeMs);
  if (stored === undefined) throw fencedOff(`node/${node}`, epoch);
  const held = new Set(state.indexes.map(({ uuid }) => uuid));
  return create(CONTROL_PLANE_METHODS.register.output, {
    epoch: BigInt(stored.epoch),
    ttlMs: nodeMs,
    dropped: [...(await store.dropped.settle(node, held))],
    ...(await indexesOf(store, state)),
  });
}

/** What a node has to hold, to read and to leave. */
async function indexesOf(store: Store, { node, indexes }: NodeState) {
  // before definitions: a job that ends between both reads would seem to leave the former one
  const busy = new Set((await store.jobs.list({ running: true })).map(({ index }) => index));
  const definitions = await store.definitions.list();
  const routes = await store.routes.list();
  const placed = new Map((await store.placements.list()).map((each) => [each.index, each.node]));
  const followed = definitions.flatMap(({ index, definition }) => {
    const place = homePlace(registeredDefinition(definition));
    return place === null ? [] : [{ index, place }];
  });
  // a job has given the node another definition than the one in force, or is about to
  const assignments = definitions.filter(({ index }) => {
    const isHeld = indexes.some((own) => own.index === index);
    return placed.get(index) === node && !(isHeld && busy.has(index));
  });
  const stored = new Set(followed.map(({ index }) => index));
  const left = routes.flatMap(({ index, replicas }) => {
    const writer = placed.get(index);
    const isThere = replicas.every((own) => own.some((each) => each.node === writer));
    const isRead = !stored.has(index) && replicas.flat().some((each) => each.node === node);
    return writer !== node && isThere && !isRead && !busy.has(index) ? [index] : [];
  });
  return { followed, assignments, left };
}

/** The routing when it is another one than the caller has, or when the wait ends. */
async function changedRouting(
  current: (known: string) => Promise<RoutingReply>,
  request: RoutingRequest,
  stopping: AbortSignal,
): Promise<RoutingReply> {
  const { known, waitMs } = request;
  const until = performance.now() + Math.min(waitMs, MOST_WAIT_MS);
  for (;;) {
    const reply = await current(known);
    if (reply.version !== known || performance.now() >= until || stopping.aborted) return reply;
    await pause(LOOK_MS, stopping);
  }
}

/**
 * The routing of the store. While that cannot be reached: the last one, for callers that know this
 * or none. Others may have learned a newer one from another control plane.
 */
export function rememberedRouting(
  store: Pick<Store, 'definitions' | 'aliases' | 'routes'>,
): (known: string) => Promise<RoutingReply> {
  let last: RoutingReply | undefined;
  return async (known) => {
    try {
      last = await readRouting(store);
      return last;
    } catch (error) {
      const isNewest = known === '' || known === last?.version;
      if (last === undefined || !isNewest || !isUnreachable(error)) throw error;
      return last;
    }
  };
}

async function readRouting(
  store: Pick<Store, 'definitions' | 'aliases' | 'routes'>,
): Promise<RoutingReply> {
  const definitions = await store.definitions.list();
  const aliases = await store.aliases.list();
  const routes = await store.routes.list();
  const names = definitions.map(({ index }) => index);
  const parts = [
    definitions.map(({ index, version }) => [index, version]),
    aliases.map(({ alias, index }) => [alias, index]),
    routes.map(({ index, generation }) => [index, generation]),
  ];
  return create(CONTROL_PLANE_METHODS.routing.output, {
    version: JSON.stringify(parts),
    names,
    aliases: [...aliases],
    indexes: routes.map(({ index, generation, snapshot, replicas }) => ({
      index,
      generation: BigInt(generation),
      ...(snapshot === null ? {} : { snapshot }),
      shards: replicas.map((own) => ({ replicas: [...own] })),
    })),
  });
}
