/**
 * `lhs serve node`: shards of indexes out of a data folder of its own, over gRPC, for the gateways
 * and the control plane of a cluster.
 */

import { type EngineOptions, locationUrl, lockDataFolder } from '@lakehouse-search/engine/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { Calls } from '../calls/calls.ts';
import { admitDefinition } from '../config/admit-definition.ts';
import { boundMemory } from '../config/memory-plan.ts';
import { NO_CONFIG, type SourceNames } from '../config/server-config.ts';
import { controlPlaneRegistrar } from '../control-plane/control-plane-client.ts';
import { createGrpc } from '../grpc/grpc-server.ts';
import { addInternalService } from '../grpc/internal-service.ts';
import { Epochs } from '../node/epochs.ts';
import {
  type FollowedOptions,
  FollowedPlaces,
  namesByPlace,
  withFollowed,
} from '../node/followed-places.ts';
import { nodeAccess } from '../node/node-access.ts';
import { nodeMethods, stateOf } from '../node/node-service.ts';
import { removals } from '../node/remove-index.ts';
import { openLogs } from '../observe/call-logs.ts';
import { NodeSpans } from '../observe/node-spans.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { BackgroundSync, withSyncFailures } from './background-sync.ts';
import {
  advertised,
  type ClusterOptions,
  refuseTakes,
  refuseTls,
  requireKey,
} from './cluster-options.ts';
import { hidePlaces } from './hide-places.ts';
import { drained, listenGrpc } from './listeners.ts';
import { NodeRegistration } from './register-node.ts';
import { type Release, startReleasing } from './releases.ts';
import { SERVED_FOLDER } from './served-folder.ts';
import type { ServerOptions } from './server-options.ts';
import { spanExport } from './span-export.ts';

/** What a node is made from. */
export interface ServeNodeRequest {
  readonly options: ServerOptions;
  /** What definitions of backups may name. Default: nothing. */
  readonly names?: SourceNames;
  readonly cluster: ClusterOptions;
}

/** A node that listens. */
export interface RunningNode {
  /** HOST:PORT. */
  readonly grpc: string;
  /** Names of the indexes at the start. */
  readonly indexes: readonly string[];
  /** Refuses new calls, waits for running ones, and releases everything. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a node. Throws index_busy if another process serves the data folder, io_error, … */
export async function serveNode(request: ServeNodeRequest): Promise<RunningNode> {
  requireKey(request.cluster.key, 'a node', [request.options.grpc]);
  refuseTls(request.options, 'a node');
  refuseTakes(request.cluster);
  return startReleasing((later) => start(request, later));
}

/** A gateway merges the streams of nodes: one may wait for others, and for a slow client. */
const READER_MS = 600_000;

async function start(
  { options, cluster, names = NO_CONFIG.names }: ServeNodeRequest,
  later: (release: Release) => void,
): Promise<Omit<RunningNode, 'stop'>> {
  const { dataDir, storage, sync: syncing } = options;
  const { key, takes } = cluster;
  const { backend, reads, engine } = await openFolder(options, names, later);
  const log = openLogs(options.log);
  later(() => log.flush());
  const { controlPlane = [] } = cluster;
  const isLed = controlPlane.length > 0;
  let registration: NodeRegistration | undefined;
  const lease = { holds: () => registration?.holds() ?? false };
  const epochs = new Epochs(dataDir, isLed ? lease : undefined);
  const access = nodeAccess(key, epochs);
  const { logger } = log;
  const faults = new RepeatedFaults(logger);
  const followed = followedPlaces(engine, { own: reads, takes, faults });
  later(() => followed.close());
  const whole = storage === undefined ? [] : [[storage, null] as const];
  if (!isLed && storage !== undefined) later(followed.keepFollowing(new Map(whole)));
  const served = withSyncFailures(withFollowed(backend, followed), faults);
  const calls = new Calls({ backend: served, access, readerMs: READER_MS });
  const { server, setServing } = await createGrpc(calls);
  let address = '';
  const node = () => cluster.node ?? address;
  const spans = spanExport(options, 'node', faults, later);
  const nodeSpans = spans === undefined ? undefined : new NodeSpans(spans);
  const removeIndex = removals(backend, () => reads.state());
  const held = { reads, followed, removeIndex };
  const own = { ...held, node, takes, nodeSpans };
  addInternalService(server, key, nodeMethods(own));
  const { enabled, pollMs } = syncing;
  // under a control plane, the connector applies the changes of tables
  const syncs = { enabled: enabled && !isLed, pollMs };
  const sync = new BackgroundSync({ backend, logger, faults, ...syncs });
  later(() => sync.stop());
  await sync.start();
  const close = () => new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  later(() => {
    setServing(false);
    calls.endFollowing();
    return drained(close, () => server.forceShutdown(), options.drainMs);
  });
  const listening = await listenGrpc(server, options);
  address = advertised(cluster, listening);
  if (isLed) {
    const registering = new NodeRegistration({
      registrar: controlPlaneRegistrar({ addresses: controlPlane, key }),
      ...{ backend, removeIndex, address, logger, faults },
      leaveIndex: (index) => backend.leaveIndex({ index }),
      follow: (indexes) => void followed.follow(new Map([...namesByPlace(indexes), ...whole])),
      state: () => stateOf(own),
      digestOf: (index) => reads.digest(index),
    });
    registration = registering;
    later(() => registering.stop());
    registering.start();
  }
  const indexes = (await backend.listIndexes()).map(({ name }) => name);
  logger.info(
    { grpc: listening, address, data_dir: dataDir, indexes: indexes.length },
    'listening',
  );
  return { grpc: listening, indexes };
}

/** The indexes that the node builds itself. */
async function openFolder(
  options: ServerOptions,
  names: SourceNames,
  later: (release: Release) => void,
) {
  const { dataDir, threads, memory, backupTarget } = options;
  later(boundMemory(memory));
  hidePlaces(options, { catalogs: {}, roots: {} }, later);
  const lock = lockDataFolder(dataDir);
  later(() => lock.release());
  const engine = { ...SERVED_FOLDER, threads, memory };
  const backend = await openEngine(dataDir, {
    ...engine,
    ...(backupTarget === undefined ? {} : { backupTarget }),
    admit: admitDefinition(names),
  });
  later(() => backend.close());
  const reads = await backend.nodeReads();
  later(() => reads.close());
  return { backend, reads, engine };
}

/** Places of published indexes, each of which gets an engine of its own in the cache. */
const followedPlaces = (engine: EngineOptions, options: Omit<FollowedOptions, 'open'>) =>
  new FollowedPlaces({
    ...options,
    open: async (place, only) => {
      const location = locationUrl(place);
      const backend = await openEngine(location, {
        ...engine,
        ...(only === undefined ? {} : { only }),
      });
      return { backend, reads: await backend.nodeReads() };
    },
  });
