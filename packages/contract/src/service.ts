/** The operations of a service: those of a backend, of accounts and of itself. */
import type {
  LoginRequest,
  RevokeTokenRequest,
  SetRolesRequest,
  TokenDraft,
} from './accounts/request.ts';
import type { NewToken, Role, Session, TokenRecord, User } from './accounts/response.ts';
import type { BackendApi } from './backend.ts';
import type { CallContext } from './call.ts';
import type { ActivityRequest, RoutingRequest } from './cluster/request.ts';
import type { ActivityEntry, ConsoleConfig, IndexRouting, License } from './cluster/response.ts';
import type { ListRequest } from './index-request.ts';
import type { IndexStatus } from './ingest/response.ts';

/** Users, roles, tokens and sessions of a service. The embedded engine has none. */
export interface AccountsApi {
  /** A short-lived session. Throws unauthenticated, overloaded. */
  login(request: LoginRequest, call?: CallContext): Promise<Session>;
  /** The users, by name. */
  listUsers(request?: ListRequest, call?: CallContext): Promise<readonly User[]>;
  /** Gives a user exactly these roles. Throws not_found. */
  setRoles(request: SetRolesRequest, call?: CallContext): Promise<User>;
  /** The roles, and what each allows. */
  listRoles(request?: ListRequest, call?: CallContext): Promise<readonly Role[]>;
  /** The API tokens, without their secrets. */
  listTokens(request?: ListRequest, call?: CallContext): Promise<readonly TokenRecord[]>;
  /** A token with its secret, which no later answer has. */
  createToken(request: TokenDraft, call?: CallContext): Promise<NewToken>;
  /** Throws not_found. */
  revokeToken(request: RevokeTokenRequest, call?: CallContext): Promise<void>;
}

/** The service as a whole: what no single index answers. */
export interface ClusterApi {
  /** The nodes that hold the shards of an index. */
  getRouting(request: RoutingRequest, call?: CallContext): Promise<IndexRouting>;
  /** How far each index is behind its table. */
  listIngestion(request?: ListRequest, call?: CallContext): Promise<readonly IndexStatus[]>;
  /** What happened to indexes, the latest first. */
  activity(request: ActivityRequest, call?: CallContext): Promise<readonly ActivityEntry[]>;
  /** The licence of the service. */
  license(request?: ListRequest, call?: CallContext): Promise<License>;
  /** What the web console needs to know of the service. */
  consoleConfig(request?: ListRequest, call?: CallContext): Promise<ConsoleConfig>;
}

/** Everything that a service answers: the operations of a backend, of accounts and of itself. */
export interface ServiceApi extends BackendApi, AccountsApi, ClusterApi {}

/** The name of an operation of a service. */
export type Operation = Exclude<keyof ServiceApi, 'close'>;
