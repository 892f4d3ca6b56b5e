import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import {
  type ClusterOptions,
  openCluster,
  type RunningNode,
  serveNode,
  serverOptions,
} from '@lakehouse-search/server';

const KEY = 'key of the cluster in tests';

/** Nodes in this process, and their indexes as one backend, which closes the nodes. */
export interface TestCluster {
  readonly nodes: readonly RunningNode[];
  readonly backend: BackendApi;
  /** Another gateway over the nodes, closed with the cluster. */
  open(times: GatewayTimes): Promise<BackendApi>;
}

/** Times of a gateway. */
export type GatewayTimes = Pick<ClusterOptions, 'shardTimeoutMs' | 'silenceMs'>;

/** How nodes of a test are started and reached. */
export interface TestClusterOptions {
  /** Node `i` takes the shards of `takes[i]`. */
  readonly takes?: readonly (readonly number[])[];
  readonly shardTimeoutMs?: number;
  /** Place of the published indexes that all nodes read. */
  readonly storage?: string;
  /** The address at which the gateway reaches node `i`. Default: where it listens. */
  readonly reach?: (address: string, i: number) => Promise<string>;
}

/** Starts nodes, each with a data folder of its own. */
export async function startCluster(
  count: number,
  { takes = [], shardTimeoutMs, storage, reach }: TestClusterOptions = {},
): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-cluster-'));
  const nodes: RunningNode[] = [];
  for (let i = 0; i < count; i++) {
    const settings = {
      ...{ addr: '127.0.0.1:0', sync: false, threads: 0, 'log.level': 'silent' },
      ...(storage === undefined ? {} : { storage }),
    };
    const options = serverOptions(settings, {}, join(folder, String(i)));
    const cluster = { nodes: [], key: KEY, takes: takes[i] ?? [] };
    nodes.push(await serveNode({ options, cluster }));
  }
  const releases: (() => unknown)[] = [];
  const addresses: string[] = [];
  for (const [i, { grpc }] of nodes.entries()) addresses.push((await reach?.(grpc, i)) ?? grpc);
  const open = async (times: GatewayTimes) => {
    const { backend, routing } = await openCluster(
      { nodes: addresses, key: KEY, takes: [], freshnessMs: 0, ...times },
      (release) => releases.push(release),
    );
    await routing.refresh();
    return backend;
  };
  // on a busy machine, a node that runs may answer late
  const silenceMs = 60_000;
  const times = shardTimeoutMs === undefined ? { silenceMs } : { silenceMs, shardTimeoutMs };
  const backend = await open(times);
  const close = async () => {
    for (const release of releases.toReversed()) await release();
    for (const node of nodes) await node.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { nodes, backend: withClose(backend, close), open };
}

function withClose(backend: BackendApi, close: () => Promise<void>): BackendApi {
  return new Proxy(backend, {
    get: (target, name) => (name === 'close' ? close : Reflect.get(target, name)),
  });
}
