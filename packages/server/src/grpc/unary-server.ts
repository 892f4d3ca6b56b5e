import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import {
  type ChannelOptions,
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { openScreen, type Screen, type ScreenedMethod } from './screen.ts';
import { screening } from './screening.ts';
import { type UnaryMethod, UnaryStream } from './unary-stream.ts';

type StreamListener = (...args: unknown[]) => void;
type Bound = Parameters<Server['bindAsync']>[2];

const CONTENT_TYPE = 'application/grpc';
const TIMEOUT = /^(\d{1,8})\s*([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/**
 * A server of grpc-js that screens calls before it reads their requests, and answers unary calls
 * straight on their HTTP/2 streams, for about two thirds of the processor time. Sessions, streams,
 * and calls with anything unusual stay with grpc-js.
 */
export class UnaryServer extends Server {
  readonly #methods = new Map<string, UnaryMethod>();
  readonly #taken = new WeakSet<Http2Server>();
  readonly #screens: Map<string, Screen>;
  /** The stream that grpc-js makes a call of. */
  readonly #arriving: { stream?: ServerHttp2Stream };

  readonly #connections: number | undefined;

  /**
   * `mostBytes`: bytes of a message, at most; screens of methods have less. `connections`: that are
   * open at once; further ones are closed.
   */
  constructor(mostBytes: number, connections: number | undefined, options: ChannelOptions) {
    const screens = new Map<string, Screen>();
    const arriving: { stream?: ServerHttp2Stream } = {};
    const interceptors = [screening(screens, arriving)];
    super({ ...options, 'grpc.max_receive_message_length': mostBytes, interceptors });
    this.#connections = connections;
    this.#screens = screens;
    this.#arriving = arriving;
  }

  override addService(service: ServiceDefinition, handlers: UntypedServiceImplementation): void {
    super.addService(service, handlers);
    for (const [name, method] of Object.entries(service)) {
      const { screen = openScreen } = method as Partial<ScreenedMethod>;
      this.#screens.set(method.path, screen);
      const handle = handlers[name] ?? handlers[method.originalName ?? ''];
      if (method.requestStream || method.responseStream || handle === undefined) continue;
      const { path, requestDeserialize, responseSerialize } = method;
      const own = { path, requestDeserialize, responseSerialize, screen };
      this.#methods.set(path, { ...own, handle: handle as UnaryMethod['handle'] });
    }
  }

  override bindAsync(port: string, credentials: ServerCredentials, bound: Bound): void {
    super.bindAsync(port, credentials, (error, at) => {
      if (error === null) this.#takeStreams();
      bound(error, at);
    });
  }

  /** Puts itself before the listeners of grpc-js. A version without this map serves all itself. */
  #takeStreams(): void {
    const servers = Reflect.get(this, 'http2Servers') as Map<Http2Server, unknown> | undefined;
    for (const server of servers?.keys() ?? []) {
      if (this.#taken.has(server)) continue;
      this.#taken.add(server);
      if (this.#connections !== undefined) server.maxConnections = this.#connections;
      const others = server.listeners('stream') as StreamListener[];
      server.removeAllListeners('stream');
      server.on('stream', (stream, headers, ...more) => {
        if (this.#take(stream, headers)) return;
        this.#arriving.stream = stream;
        for (const other of others) other.call(server, stream, headers, ...more);
        delete this.#arriving.stream;
      });
    }
  }

  /** Answers a unary call without anything unusual. */
  #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const method = this.#methods.get(headers[':path'] ?? '');
    if (method === undefined || stream.endAfterHeaders) return false;
    if (headers['content-type']?.startsWith(CONTENT_TYPE) !== true) return false;
    const encoding = headers['grpc-encoding'];
    if (encoding !== undefined && encoding !== 'identity') return false;
    const millis = timeoutOf(headers['grpc-timeout']);
    if (millis === undefined) return false;
    new UnaryStream(method, stream, headers, millis).start();
    return true;
  }
}

/** Milliseconds; Infinity without a header, undefined for one that is no timeout. */
function timeoutOf(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined) return Number.POSITIVE_INFINITY;
  const parts = typeof header === 'string' ? TIMEOUT.exec(header) : null;
  return parts === null ? undefined : Math.floor(Number(parts[1]) * UNIT_MS[parts[2]]);
}
