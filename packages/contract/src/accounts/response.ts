import type { Scope } from '../call.ts';
import type { RoleName } from './request.ts';

/** A session: the token travels as `Authorization: Bearer`. */
export interface Session {
  readonly token: string;
  /** ISO 8601, UTC. */
  readonly expires_at: string;
}

/** An account. */
export interface User {
  readonly subject: string;
  readonly roles: readonly RoleName[];
}

/** A role and what it permits. */
export interface Role {
  readonly role: RoleName;
  readonly scopes: readonly Scope[];
}

/** An API token in a list: never its secret. */
export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  /** Absent: all indexes. */
  readonly indexes?: readonly string[];
  readonly tenant?: string;
  readonly created_ms: number;
  /** ISO 8601, UTC. Absent: it does not expire. */
  readonly expires_at?: string;
}

/** A new API token. `token` is shown this once and travels as `Authorization: ApiKey`. */
export interface NewToken extends TokenRecord {
  readonly token: string;
}
