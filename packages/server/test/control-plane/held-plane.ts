/**
 * A control plane that halts at each step of its jobs until the test lets it go on, so that the
 * test can kill it there:
 *
 *   node --import ../../../../test/support/from-source.ts held-plane.ts SETTINGS
 *
 * SETTINGS: `HeldPlaneSettings` as JSON. It sends `{ listens }`, then `{ step }` for each step,
 * which it holds until the next message, and `{ canceling }` when it has read that a job was
 * canceled.
 */
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import type { NodeClient } from '../../src/cluster/node-client.ts';
import { NodePool } from '../../src/control-plane/cluster-context.ts';
import { serveControlPlane } from '../../src/serve/serve-control-plane.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { ClusterJobs } from '../../src/store/cluster-jobs.ts';
import { Leases } from '../../src/store/leases.ts';

/** How a control plane of a test is started. */
export interface HeldPlaneSettings {
  readonly dataDir: string;
  readonly grpc: string;
  readonly key: string;
  readonly leaseMs: number;
  readonly sync: boolean;
  /** The address of a PostgreSQL database; absent: SQLite in the data folder. */
  readonly postgres?: string;
}

const settings = JSON.parse(process.argv[2]) as HeldPlaneSettings;
const waiting: (() => void)[] = [];
process.on('message', () => waiting.shift()?.());
process.on('disconnect', () => process.exit());

/** Halts at a step. */
function reached(step: string): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    process.send?.({ step });
  });
}

/** Steps within transactions, and after the commit of those that move a job on. */
let moved: string | undefined;
const { apply } = ClusterJobs.prototype;
ClusterJobs.prototype.apply = async function (...args) {
  const [, event] = args;
  const job = await apply.call(this, ...args);
  moved = event;
  await reached(`${event}, not committed`);
  return job;
};
const { get } = ClusterJobs.prototype;
ClusterJobs.prototype.get = async function (id) {
  const job = await get.call(this, id);
  if (job !== undefined && job.cancelMs !== null) process.send?.({ canceling: id });
  return job;
};
const { fenced } = Leases.prototype;
Leases.prototype.fenced = async function (lease, work) {
  let event: string | undefined;
  const result = await fenced.call(this, lease, async (statements) => {
    moved = undefined;
    const done = await work(statements);
    event = moved;
    return done;
  });
  if (event !== undefined) await reached(event);
  return result as never;
};

/** Steps between calls of nodes. */
const { at } = NodePool.prototype;
NodePool.prototype.at = function (address) {
  return heldNode(at.call(this, address));
};

function heldNode(node: NodeClient): NodeClient {
  return {
    address: node.address,
    state: (call) => node.state(call),
    read: (read, call) => node.read(read, call),
    removeIndex: (dropped, call) => node.removeIndex(dropped, call),
    service: (epoch) => heldService(node.service(epoch)),
    close: () => node.close(),
  };
}

function heldService(service: ServiceApi): ServiceApi {
  return {
    ...service,
    async alterIndex(request, call) {
      if (request.apply !== true) return service.alterIndex(request, call);
      await reached('before alter');
      const plan = await service.alterIndex(request, call);
      await reached('after alter');
      return plan;
    },
    async reindex(request, call) {
      await reached('before reindex');
      const made = await service.reindex(request, call);
      await reached('after reindex');
      return made;
    },
  };
}

const { dataDir, grpc, key, leaseMs, sync, postgres } = settings;
const options = serverOptions(
  {
    ...{ rest_addr: '127.0.0.1:0', addr: grpc, sync, sync_poll_ms: 100 },
    ...{ 'log.level': 'silent', 'log.access': false },
    ...(postgres === undefined ? {} : { 'store.postgres_env': 'HELD_PLANE_STORE' }),
  },
  postgres === undefined ? {} : { HELD_PLANE_STORE: postgres },
  dataDir,
);
const plane = await serveControlPlane({
  options,
  key,
  names: { catalogs: {}, roots: {}, models: {} },
  times: { leaseMs, nodeMs: 120_000, leaveMs: 600_000 },
});
process.send?.({ listens: plane.grpc });
