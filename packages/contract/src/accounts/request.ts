/** What a user or token may do (interface, Authentication). Each role has a list of scopes. */
export type RoleName = 'reader' | 'operator' | 'admin';

/** `POST /v1/login`. */
export interface LoginRequest {
  readonly username: string;
  readonly password: string;
}

/** `PUT /v1/users/{subject}/roles`. */
export interface SetRolesRequest {
  readonly subject: string;
  readonly roles: readonly RoleName[];
}

/** `POST /v1/tokens`. */
export interface TokenDraft {
  readonly name: string;
  readonly roles: readonly RoleName[];
  /** Names of the indexes that the token may use. Default: all of them. */
  readonly indexes?: readonly string[] | undefined;
  /** Restricts every read to the rows of this tenant. */
  readonly tenant?: string | undefined;
  /** ISO 8601, UTC. Default: the token does not expire. */
  readonly expires_at?: string | undefined;
}

/** `DELETE /v1/tokens/{id}`. */
export interface RevokeTokenRequest {
  readonly id: string;
}
