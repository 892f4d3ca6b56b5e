/**
 * Operations that are no reads of shards, under a control plane. Definitions, jobs and names are
 * those of the control plane; the other operations go to the nodes that hold the index. Rows are
 * written by the connector alone.
 */
import {
  type AccountsApi,
  type CallContext,
  type ErrorCode,
  LhsError,
  OPERATIONS,
  type Operation,
  type Service,
  syncStep,
} from '@lakehouse-search/contract';
import { indexOf } from '../calls/calls.ts';
import { FirstThatAnswers } from '../cluster/first-that-answers.ts';
import { connectNode, type NodeClient } from '../cluster/node-client.ts';
import type { NodeWatch } from '../cluster/node-watch.ts';
import { renameUnsupported } from '../control-plane/cluster-job-api.ts';
import type { AdminName, AdminRouting } from './admin-nodes.ts';
import type { AdminBackend } from './cluster-backend.ts';
import { withSavedQueries } from './rehearsed-queries.ts';
import { staticAdmin } from './static-admin.ts';

/** What the control plane answers. */
const PLANE = [
  ...(['createIndex', 'listIndexes', 'dropIndex', 'alterIndex', 'reindex'] as const),
  ...(['planReshard', 'applyReshard', 'moveBucket'] as const),
  ...(['compact', 'upgrade', 'reindexWindow', 'moveWindows'] as const),
  ...(['backup', 'backupStatus', 'listBackups', 'pruneBackups', 'restore'] as const),
  ...(['checkErasure', 'runErasure', 'erasureKey', 'verifyReceipt'] as const),
  ...(['startJob', 'getJob', 'listJobs', 'cancelJob'] as const),
  ...(['listAliases', 'setAlias', 'dropAlias'] as const),
  ...(['listSavedQueries', 'createSavedQuery', 'replaceSavedQuery', 'deleteSavedQuery'] as const),
  ...(['describeSource', 'listTables', 'initDefinition', 'validateDefinition'] as const),
] satisfies readonly AdminName[];

/** Operations that the control plane answers. */
export const OF_PLANE: ReadonlySet<string> = new Set(PLANE);

/** What would write rows beside the connector. */
const WRITES = [
  ...(['sync', 'applyBatch', 'rollbackIndex'] as const),
] satisfies readonly AdminName[];

/** What the control plane says of the cluster. */
const CLUSTER = ['getRouting', 'listIngestion', 'activity', 'license', 'consoleConfig'] as const;

const ACCOUNTS = [
  ...(['login', 'listUsers', 'setRoles', 'listRoles'] as const),
  ...(['listTokens', 'createToken', 'revokeToken'] as const),
] satisfies readonly (keyof AccountsApi)[];

type Method = (request: unknown, call?: CallContext) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** The control planes of a cluster: a call goes to the first one that answers. */
export class ControlPlaneCalls {
  readonly #planes: FirstThatAnswers<NodeClient>;

  constructor(addresses: readonly string[], key: string | undefined) {
    this.#planes = new FirstThatAnswers(addresses.map((address) => connectNode(address, { key })));
  }

  /** Throws unreachable if none answers, and what the first one that answers throws. */
  call(name: string, request: unknown, context?: CallContext): Promise<unknown> {
    const isIdempotent = OPERATIONS[name as Operation].idempotent === true;
    const work = async (plane: NodeClient) => operations(plane)[name](request, context);
    return this.#planes.call(work, isIdempotent);
  }

  /** The items of a stream. It moves to another control plane only before the first item. */
  items(name: string, request: unknown, context?: CallContext): AsyncGenerator<unknown> {
    return this.#planes.items(
      (plane) => operations(plane)[name](request, context) as AsyncIterable<unknown>,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#planes.all.map((plane) => plane.close()));
  }
}

const operations = (client: NodeClient): Methods => client.service() as unknown as Methods;

/** The operations of a gateway under a control plane. */
export function ledAdmin(
  planes: ControlPlaneCalls,
  routing: AdminRouting,
  node: (address: string) => NodeClient,
  watch: NodeWatch,
): AdminBackend {
  const ofPlane = PLANE.map((name): [string, Method] => {
    return [name, (request, call) => after(planes.call(name, request, call), routing)];
  });
  const refused = WRITES.map((name): [string, Method] => {
    return [name, async (request) => refuse(name, request)];
  });
  const ofNodes = staticAdmin(routing, node, { watch });
  // before the first build, the control plane describes an index by its definition
  const describeIndex = orElse('index_not_built', ofNodes.describeIndex as Method, (...args) =>
    planes.call('describeIndex', ...args),
  );
  // the control plane knows more; nodes answer without it
  const status = orElse(
    'unreachable',
    (...args) => planes.call('status', ...args),
    ofNodes.status as Method,
  );
  const admin = {
    ...ofNodes,
    ...Object.fromEntries([...ofPlane, ...refused]),
    ...{ describeIndex, status },
    renameIndex: async () => {
      throw renameUnsupported();
    },
    watchJob: (request, call) => planes.items('watchJob', request, call),
    follow: (request) => refusedItems('follow', request),
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

/** What the service says about itself. */
export const ledCluster = (planes: ControlPlaneCalls): Pick<Service, (typeof CLUSTER)[number]> =>
  Object.fromEntries(
    CLUSTER.map((name) => [
      name,
      (request: unknown, call?: CallContext) => planes.call(name, request, call),
    ]),
  ) as unknown as Pick<Service, (typeof CLUSTER)[number]>;

/** Accounts of the cluster. */
export const ledAccounts = (planes: ControlPlaneCalls): AccountsApi =>
  Object.fromEntries(
    ACCOUNTS.map((name) => [
      name,
      (request: unknown, call?: CallContext) => planes.call(name, request, call),
    ]),
  ) as unknown as AccountsApi;

/** An answer, after which the routing is up to date. */
async function after<T>(answer: Promise<T>, routing: AdminRouting): Promise<T> {
  try {
    return await answer;
  } finally {
    await routing.refresh();
  }
}

async function* refusedItems(name: string, request: unknown): AsyncGenerator<never> {
  yield refuse(name, request);
}

function refuse(name: string, request: unknown): never {
  const index = indexOf(request);
  throw new LhsError('unsupported', `${name} is not possible under a control plane`, {
    hint: 'its connector keeps every index equal to the table; a reindex builds an index again',
    next: index === undefined ? [] : [syncStep(index, 'control_plane')],
  });
}
