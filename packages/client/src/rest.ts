/**
 * A service over REST where there is no Node: browsers and edge runtimes. It needs `fetch` alone
 * and leaves the checks of requests to the service.
 */
import type { Service } from '@lakehouse-search/contract';
import { grouped } from '@lakehouse-search/contract/internal';
import { ROUTES } from './generated/routes.ts';
import { type CallerOptions, remoteService } from './remote/remote-service.ts';
import { serviceUrl } from './remote/service-url.ts';
import { type Fetch, fetchExchange } from './rest/fetch-exchange.ts';
import { restTransport } from './rest/rest-transport.ts';

export type * from '@lakehouse-search/contract';
export { defineIndex, LhsError, q, typed } from '@lakehouse-search/contract';
export type { CallerOptions, Fetch };

/** Where a service is, and who calls it. */
export interface RestClientOptions extends CallerOptions {
  /** `http://` or `https://`, with host and port. */
  readonly url: string;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/** A service over REST as a `Backend`. Throws invalid_argument for a URL that is none. */
export function createRestClient(options: RestClientOptions): Service {
  const { href } = serviceUrl(options.url, ['http', 'https']);
  const base = href.replace(/\/+$/, '');
  const { fetch: send = (...call: Parameters<Fetch>) => fetch(...call) } = options;
  const open = async () => restTransport(base, fetchExchange(base, send));
  return grouped(remoteService(options, open), ROUTES);
}
