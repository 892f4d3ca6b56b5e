import type { Server } from '@grpc/grpc-js';
import { VERSION } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';
import { loginAttempts } from '../access/login-attempts.ts';
import { Calls } from '../calls/calls.ts';
import { addConsole } from '../console/console-routes.ts';
import { createGrpc } from '../grpc/grpc-server.ts';
import { addMcp } from '../mcp/mcp-route.ts';
import { addOpenApi } from '../openapi/openapi-route.ts';
import { addProbes } from '../rest/probes.ts';
import { createRest } from '../rest/rest-server.ts';
import { addSearchAdapter } from '../search-adapter/routes/adapter-routes.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** Pause between two looks at connections without a call while a gateway ends. */
const CLOSE_IDLE_MS = 50;

/** REST and gRPC over one backend. The caller lets both listen. */
export interface Gateway {
  readonly rest: FastifyInstance;
  readonly grpc: Server;
  /** What gRPC health says; `readyz` asks `ready` itself. */
  setServing(serving: boolean): void;
  /** Refuses new calls, waits for those that run, and closes both. */
  close(): Promise<void>;
}

/** A gateway that does not listen yet. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { tls, extend, version = VERSION, ready = async () => undefined, ...named } = options;
  const { hosts, searchAdapter, console: assets, connections, ...others } = named;
  const calls = new Calls({ attempts: loginAttempts(), ...others });
  const rest = createRest(calls, {
    ...{ tls, connections },
    ...(hosts === undefined ? {} : { hosts }),
  });
  addProbes(rest, ready);
  addOpenApi(rest, version);
  addMcp(rest, calls, version);
  if (assets !== undefined) addConsole(rest, assets);
  if (searchAdapter !== undefined) {
    await addSearchAdapter(rest, calls, { ...searchAdapter, version });
  }
  await extend?.(rest);
  const { server, setServing } = await createGrpc(calls, connections);
  const shut = () => new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  return {
    rest,
    grpc: server,
    setServing,
    close: async () => {
      setServing(false);
      calls.endFollowing();
      // a connection whose last response began before the end stays open for the next request
      const idle = setInterval(() => rest.server.closeIdleConnections(), CLOSE_IDLE_MS);
      await Promise.all([rest.close(), shut()]).finally(() => clearInterval(idle));
    },
  };
}
