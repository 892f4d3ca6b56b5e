/**
 * Operations that are no reads of shards, under a control plane. Definitions, jobs and names are
 * those of the control plane; the other operations go to the nodes that hold the index. Rows are
 * written by the connector alone.
 */

import { type CallContext, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import {
  ACCOUNT_OPERATIONS,
  type AccountsApi,
  CLUSTER_OPERATIONS,
  type ClusterApi,
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  syncStep,
} from '@lakehouse-search/contract/internal';
import { indexOf } from '../../calls/calls.ts';
import type { Run } from '../../calls/service-over.ts';
import { FirstThatAnswers } from '../../cluster/first-that-answers.ts';
import { connectNode, type NodeClient } from '../../cluster/node-client.ts';
import type { NodeWatch } from '../../cluster/node-watch.ts';
import { renameUnsupported } from '../../control-plane/operations/cluster-job-api.ts';
import type { AdminBackend } from '../cluster-backend.ts';
import { type AdminRouting, isAdmin } from './admin-nodes.ts';
import { ledStatus, type StatusOf } from './led-status.ts';
import { withSavedQueries } from './rehearsed-queries.ts';
import { staticAdmin } from './static-admin.ts';

type Method = (request: unknown, call?: CallContext) => unknown;

/** The control planes of a cluster: a call goes to the first one that answers. */
export class ControlPlaneCalls {
  readonly #planes: FirstThatAnswers<NodeClient>;

  constructor(addresses: readonly string[], key: string | undefined) {
    this.#planes = new FirstThatAnswers(addresses.map((address) => connectNode(address, { key })));
  }

  /** Throws unreachable if none answers, and what the first one that answers throws. */
  call(name: Operation, request: unknown, context: CallContext = {}): Promise<unknown> {
    const isIdempotent = OPERATIONS[name].idempotent === true;
    const work = async (plane: NodeClient) => runOn(plane, name, request, context);
    return this.#planes.call(work, isIdempotent);
  }

  /** The items of a stream. It moves to another control plane only before the first item. */
  items(name: Operation, request: unknown, context: CallContext = {}): AsyncGenerator<unknown> {
    return this.#planes.items(
      (plane) => runOn(plane, name, request, context) as AsyncIterable<unknown>,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#planes.all.map((plane) => plane.close()));
  }
}

const runOn = (plane: NodeClient, name: Operation, request: unknown, call: CallContext): unknown =>
  (plane.service()[name] as Run)(request, call);

/** The operations of a gateway under a control plane. */
export function ledAdmin(
  planes: ControlPlaneCalls,
  routing: AdminRouting,
  node: (address: string) => NodeClient,
  watch: NodeWatch,
): AdminBackend {
  const ofPlane = (name: Operation, stream: boolean): Method =>
    stream
      ? (request, call) => planes.items(name, request, call)
      : (request, call) => after(planes.call(name, request, call), routing);
  const own = OPERATION_NAMES.filter(isAdmin).flatMap((name): [string, Method][] => {
    const { plane, stream } = OPERATIONS[name];
    const isStream = stream === 'responses';
    if (plane === 'answers') return [[name, ofPlane(name, isStream)]];
    return plane === 'refuses' ? [[name, isStream ? refusedItems(name) : refused(name)]] : [];
  });
  const ofNodes = staticAdmin(routing, node, { watch });
  // before the first build, the control plane describes an index by its definition
  const describeIndex = orElse('index_not_built', ofNodes.describeIndex as Method, (...args) =>
    planes.call('describeIndex', ...args),
  );
  const statusByPlane = (...args: Parameters<StatusOf>) =>
    planes.call('status', ...args) as ReturnType<StatusOf>;
  const status = ledStatus(statusByPlane, async (...args) => ofNodes.status(...args));
  const admin = {
    ...ofNodes,
    ...Object.fromEntries(own),
    ...{ describeIndex, status },
    renameIndex: async () => {
      throw renameUnsupported();
    },
  } as AdminBackend;
  return withSavedQueries(admin, routing);
}

/** A method whose calls go to another one if they throw an error of this code. */
const orElse =
  (code: ErrorCode, one: Method, other: Method): Method =>
  async (request, call) => {
    try {
      return await one(request, call);
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== code) throw error;
      return other(request, call);
    }
  };

const calling = (planes: ControlPlaneCalls, table: object) =>
  Object.fromEntries(
    (Object.keys(table) as Operation[]).map((name) => {
      const method: Method = (request, call) => planes.call(name, request, call);
      return [name, method] as readonly unknown[];
    }),
  );

/** What the service says about itself. */
export const ledCluster = (planes: ControlPlaneCalls): ClusterApi =>
  calling(planes, CLUSTER_OPERATIONS);

/** Accounts of the cluster. */
export const ledAccounts = (planes: ControlPlaneCalls): AccountsApi =>
  calling(planes, ACCOUNT_OPERATIONS);

/** An answer, after which the routing is up to date. */
async function after<T>(answer: Promise<T>, routing: AdminRouting): Promise<T> {
  try {
    return await answer;
  } finally {
    await routing.refresh();
  }
}

const refused =
  (name: Operation): Method =>
  async (request) =>
    refuse(name, request);

const refusedItems = (name: Operation): Method =>
  async function* (request) {
    yield refuse(name, request);
  };

function refuse(name: string, request: unknown): never {
  const index = indexOf(request);
  throw new LhsError('unsupported', `${name} is not possible under a control plane`, {
    hint: 'its connector keeps every index equal to the table; a reindex builds an index again',
    next: index === undefined ? [] : [syncStep(index, 'control_plane')],
  });
}
