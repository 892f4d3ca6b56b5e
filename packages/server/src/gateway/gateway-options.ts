import type { AccountsApi, Backend, ClusterApi } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';
import type { Access } from '../access/access.ts';
import type { Admit } from '../limits/admission.ts';
import type { Observer } from '../observe/observer.ts';

/** What a gateway is made of. The caller closes the backend. */
export interface GatewayOptions {
  readonly backend: Backend;
  /** Users, tokens and sessions. Absent: their operations are unsupported. */
  readonly accounts?: AccountsApi;
  /** What the service says about itself. Absent: its operations are unsupported. */
  readonly cluster?: ClusterApi;
  readonly access: Access;
  /** Default: every call begins at once. */
  readonly admit?: Admit;
  readonly observer?: Observer;
  /** Rejects while the service cannot answer; `GET /readyz` and gRPC health read it. */
  readonly ready?: () => Promise<void>;
  /** Further routes of the REST port: metrics, console, MCP. */
  readonly extend?: (rest: FastifyInstance) => void | Promise<void>;
  /** TLS of the REST port, as node:https takes it. The gRPC port has its own at `bindAsync`. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
}
