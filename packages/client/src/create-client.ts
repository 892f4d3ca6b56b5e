import type { Service } from '@lakehouse-search/contract';
import { grouped, OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import { ROUTES } from './generated/routes.ts';
import { type CallerOptions, type RemoteService, remoteService } from './remote/remote-service.ts';
import { serviceUrl } from './remote/service-url.ts';
import type { Transport } from './remote/transport.ts';
import type { Fetch } from './rest/fetch-exchange.ts';
import { openExchange } from './rest/open-exchange.ts';
import { restTransport } from './rest/rest-transport.ts';

/** Where a service is, and who calls it. */
export interface ClientOptions extends CallerOptions {
  /** `http://`, `https://` (REST), `grpc://` or `grpcs://` (gRPC), with host and port. */
  readonly url: string;
  /** Sends requests of REST instead of a connection pool in Node, the global `fetch` elsewhere. */
  readonly fetch?: Fetch | undefined;
}

/**
 * A service as a `Backend`. Requests are checked before they are sent. The connection is opened
 * with the first call. Throws invalid_argument for a URL that is none.
 */
export const createClient = (options: ClientOptions): Service =>
  grouped(createRemote(options), ROUTES);

/** The same by the names of the wire. */
export function createRemote(options: ClientOptions): RemoteService {
  const check = (operation: Operation, request: unknown) =>
    void OPERATIONS[operation].check(request);
  return remoteService(options, transportOf(options), check);
}

/** How the service of a URL is reached. What only Node has is loaded only if it is used. */
function transportOf({ url, fetch: send }: ClientOptions): () => Promise<Transport> {
  const { protocol, host } = serviceUrl(url, ['http', 'https', 'grpc', 'grpcs']);
  if (!protocol.startsWith('grpc')) {
    return async () => restTransport(url.replace(/\/+$/, ''), await openExchange(url, send));
  }
  return async () => {
    const { grpcTransport } = await import('./grpc/grpc-transport.ts');
    return grpcTransport(host, protocol === 'grpcs:');
  };
}
