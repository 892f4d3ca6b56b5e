import type { FastifyInstance } from 'fastify';
import type { CallsOptions } from '../calls/calls.ts';
import type { ConsoleAssets } from '../console/console-assets.ts';
import type { RestOptions } from '../rest/rest-server.ts';
import type { AdapterOptions } from '../search-adapter/routes/adapter-routes.ts';

/**
 * What a gateway is made of. The caller closes the backend. `tls` is that of the REST port; the
 * gRPC port has its own at `bindAsync`.
 */
export interface GatewayOptions extends CallsOptions, RestOptions {
  /** The version of the service; default: that of this program. */
  readonly version?: string;
  /** Answers the clients of the imitated search engine. Absent: it does not. */
  readonly searchAdapter?: Omit<AdapterOptions, 'version'>;
  /** The web console. Absent: it is not served. */
  readonly console?: ConsoleAssets;
  /** Rejects while the service cannot answer; `GET /readyz` shows the members of an object. */
  readonly ready?: () => Promise<object | undefined>;
  /** Further routes of the REST port: metrics. */
  readonly extend?: (rest: FastifyInstance) => void | Promise<void>;
}
