import type { ClusterTimes, RunningControlPlane, ServerOptions } from '@lakehouse-search/server';
import { serverRequest } from './run-server.ts';
import type { ServeFlags } from './serve-flags.ts';

/** A control plane that was started, and what it was started with. */
export interface StartedControlPlane {
  readonly running: RunningControlPlane;
  readonly options: ServerOptions;
  readonly times: ClusterTimes;
}

/** Starts a control plane. Throws as `serveControlPlane`. */
export async function startControlPlane(
  flags: ServeFlags,
  dataDir: string,
): Promise<StartedControlPlane> {
  const lib = await import('@lakehouse-search/server');
  const { options, values, request, cluster } = serverRequest(lib, flags, dataDir);
  const times = lib.clusterTimes(values);
  const { key } = cluster;
  const running = await lib.serveControlPlane({ ...request, times, key });
  return { running, options, times };
}

/** What a person should know about a control plane that has just started. */
export function controlPlaneLines({ running, options, times }: StartedControlPlane) {
  const { store, sync } = options;
  const where = 'file' in store ? store.file : 'PostgreSQL';
  const { leaseMs, nodeMs, leaveMs } = times;
  return [
    `REST     ${running.url}`,
    `gRPC     ${running.grpc}`,
    `store    ${where}`,
    `leases   control plane ${leaseMs} ms, node ${nodeMs} ms; shards move after ${leaveMs} ms`,
    `sync     ${sync.enabled ? `on, a look at each table every ${sync.pollMs} ms or less` : 'off'}`,
  ];
}
