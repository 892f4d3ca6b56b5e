import type { Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { METHODS, type WireMethod } from '@lakehouse-search/client/internal';
import type { Calls } from '../calls/calls.ts';
import { BATCH_BYTES } from '../calls/most-bytes.ts';
import { callScreen } from './call-screen.ts';
import { handlerOf } from './handlers.ts';
import { reflect } from './reflection.ts';
import { bytesMethod } from './screen.ts';
import { UnaryServer } from './unary-server.ts';

/** A gRPC server with all services, health and reflection. */
export interface GrpcServer {
  readonly server: Server;
  /** What the health service says of each service. */
  setServing(serving: boolean): void;
}

/** Connections without a call are closed; clients open others when they call again. */
const IDLE_MS = 300_000;
/** Peers that do not answer a ping are gone, or no gRPC clients. */
const KEEPALIVE_MS = 30_000;

/** A gRPC server that does not listen yet. `connections`: that are open at once. */
export async function createGrpc(calls: Calls, connections?: number): Promise<GrpcServer> {
  const server = new UnaryServer(BATCH_BYTES, connections, {
    'grpc.max_connection_idle_ms': IDLE_MS,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.max_send_message_length': -1,
    // Nobody reads the statistics of channelz, and they cost time per message.
    'grpc.enable_channelz': 0,
  });
  const services = Map.groupBy(Object.values(METHODS), ({ service }) => service.typeName);
  for (const methods of services.values()) {
    const handlers = methods.map((method) => [method.method.name, handlerOf(calls, method)]);
    server.addService(definitionOf(calls, methods), Object.fromEntries(handlers) as Handlers);
  }
  reflect(server, [...services.keys()]);
  return { server, setServing: await health(server, [...services.keys()]) };
}

type Handlers = UntypedServiceImplementation;

function definitionOf(calls: Calls, methods: readonly WireMethod[]): ServiceDefinition {
  const entries = methods.map((each) => {
    const { method, path, route } = each;
    const requestStream = route.stream === 'requests';
    const responseStream = route.stream === 'responses';
    const screen = callScreen(calls, each);
    return [method.name, bytesMethod(path, screen, { requestStream, responseStream })];
  });
  return Object.fromEntries(entries) as ServiceDefinition;
}

async function health(server: Server, names: readonly string[]) {
  const { HealthImplementation } = await import('grpc-health-check');
  const all = ['', ...names];
  const own = new HealthImplementation(Object.fromEntries(all.map((name) => [name, 'SERVING'])));
  own.addToServer(server);
  return (serving: boolean): void => {
    for (const name of all) own.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
  };
}
