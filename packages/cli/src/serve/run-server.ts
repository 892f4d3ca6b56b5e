import { resolve } from 'node:path';
import type {
  ClusterOptions,
  RunningNode,
  RunningServer,
  ServeRequest,
  ServerConfig,
  ServerOptions,
} from '@lakehouse-search/server';
import { bytes, plural } from '../terminal/figures.ts';
import { flagValues, type ServeFlags } from './serve-flags.ts';

/** A server that was started, and what it was started with. */
export interface Started {
  readonly server: RunningServer;
  readonly options: ServerOptions;
}

/**
 * Starts a server with the settings of flags, environment and configuration file, in this order.
 * `dataDir`: the data folder if the file names none. Throws as `serveAll`.
 */
export async function startServer(flags: ServeFlags, dataDir: string): Promise<Started> {
  const lib = await import('@lakehouse-search/server');
  const { request, options } = serverRequest(lib, flags, dataDir);
  return { server: await lib.serveAll(request), options };
}

/** Starts a node of a cluster, as `startServer`. Throws as `serveNode`. */
export async function startNode(flags: ServeFlags, dataDir: string): Promise<StartedNode> {
  const lib = await import('@lakehouse-search/server');
  const { request, options, cluster } = serverRequest(lib, flags, dataDir);
  const { names } = request;
  return { node: await lib.serveNode({ options, cluster, names }), options };
}

/** Starts a gateway over the nodes of a cluster, as `startServer`. Throws as `serveGateway`. */
export async function startGateway(flags: ServeFlags, dataDir: string): Promise<Started> {
  const lib = await import('@lakehouse-search/server');
  const { request, options, cluster } = serverRequest(lib, flags, dataDir);
  return { server: await lib.serveGateway({ ...request, cluster }), options };
}

/** A node that was started, and what it was started with. */
export interface StartedNode {
  readonly node: RunningNode;
  readonly options: ServerOptions;
}

/** Settings of a process that serves something. */
export interface ServeSettings {
  readonly request: ServeRequest;
  readonly options: ServerOptions;
  readonly cluster: ClusterOptions;
  readonly values: ServerConfig['values'];
}

/** The settings of a process that serves something, from the same three places. */
export function serverRequest(
  lib: typeof import('@lakehouse-search/server'),
  flags: ServeFlags,
  dataDir: string,
): ServeSettings {
  const { env } = process;
  const file: ServerConfig =
    flags.config === undefined ? lib.NO_CONFIG : lib.readServerConfig(flags.config);
  const { data_dir, ...others } = { ...lib.environmentValues(env), ...flagValues(flags) };
  const own = data_dir === undefined ? {} : { data_dir: resolve(data_dir as string) };
  const values = { ...file.values, ...others, ...own };
  const options = lib.serverOptions(values, env, dataDir);
  const cluster = lib.clusterOptions(values, env);
  const { names, issuers, license } = file;
  const request = { options, names, issuers, env };
  return {
    request: license === undefined ? request : { ...request, license },
    options,
    cluster,
    values,
  };
}

/** What a person should know about a server that has just started. */
export function startLines({ server, options }: Started): readonly string[] {
  const { url, grpc, indexes, adminPassword } = server;
  const { dataDir, storage, auth } = options;
  const [first = 'INDEX'] = indexes;
  const header = auth ? ` -H "authorization: Bearer $TOKEN"` : '';
  return [
    `REST     ${url}`,
    `gRPC     ${grpc}`,
    ...consoleLines(server, options),
    `data     ${storage ?? dataDir}: ${plural(indexes.length, 'index', 'indexes')}`,
    `access   ${auth ? 'with credentials' : 'open: everybody who reaches the ports'}`,
    ...memoryLines(options),
    `sync     ${syncText(options)}`,
    ...passwordLines(adminPassword),
    '',
    `curl -s ${url}/v1/search -H 'content-type: application/json'${header} \\`,
    `  -d '{"index": "${first}", "query": "*:*", "limit": 1}'`,
  ];
}

function syncText({ storage, sync }: ServerOptions): string {
  if (storage !== undefined) return 'of new commits there; nothing is written';
  return sync.enabled ? `on, a look at each table every ${sync.pollMs} ms or less` : 'off';
}

/** Where browsers find the web console. */
export const consoleLines = (
  { url }: RunningServer,
  { console }: ServerOptions,
): readonly string[] => (console ? [`console  ${url}/`] : []);

/** How the memory of a server is divided. */
function memoryLines({ memory, threads }: ServerOptions): readonly string[] {
  const { total, base, build, threadHeap, coldBlocks, filters, results } = memory;
  const builds = build === 0 ? 'no room for builds' : `builds ${bytes(build)}`;
  const each = threads === 0 ? '' : ` of ${bytes(threadHeap)}`;
  const workers = `${plural(threads, 'search thread')}${each}`;
  return [
    `memory   ${bytes(total)}: process ${bytes(base)}, ${workers}, ${builds},`,
    `         cold blocks ${bytes(coldBlocks)}, filters ${bytes(filters)}, ` +
      `cached answers ${bytes(results)}`,
  ];
}

/** The password that was generated for the first admin: it is shown once, and never logged. */
export const passwordLines = (password: string | undefined): readonly string[] =>
  password === undefined ? [] : ['', `user "admin", password "${password}": it is shown this once`];
