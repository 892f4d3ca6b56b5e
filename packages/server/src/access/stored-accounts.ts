import {
  type CallContext,
  LhsError,
  type ListRequest,
  type LoginRequest,
  type NewToken,
  type RevokeTokenRequest,
  type Role,
  type RoleName,
  type Session,
  type SetRolesRequest,
  type TokenDraft,
  type TokenRecord,
  type User,
} from '@lakehouse-search/contract';
import {
  type AccountsApi,
  checkListRequest,
  checkLoginRequest,
  checkRevokeTokenRequest,
  checkSetRolesRequest,
  checkTokenDraft,
} from '@lakehouse-search/contract/internal';
import type { Store } from '../store/open-store.ts';
import type { StoredToken } from '../store/tokens.ts';
import { apiTokenText, hashSecret, newApiToken } from './api-tokens.ts';
import { verifyPassword } from './passwords.ts';
import { ROLES } from './roles.ts';
import type { Sessions } from './sessions.ts';

/** What the accounts of a service are made of. */
export interface StoredAccountsOptions {
  readonly store: Pick<Store, 'users' | 'tokens'>;
  readonly sessions: Sessions;
  /** Called after each change. */
  readonly changed: () => void;
  readonly now?: () => number;
}

const MOST_TOKENS = 10_000;
const LAST_ADMIN = 'there would be no admin left';

/** Users, roles, tokens and sessions in a store. */
export class StoredAccounts implements AccountsApi {
  readonly #options: StoredAccountsOptions;
  readonly #now: () => number;

  constructor(options: StoredAccountsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Throws unauthenticated, the same way and after the same time for an unknown user. */
  async login(request: LoginRequest): Promise<Session> {
    const { username, password } = checkLoginRequest(request);
    const { store, sessions } = this.#options;
    const user = await store.users.get(username);
    if (!(await verifyPassword(password, user?.password ?? null))) {
      throw new LhsError('unauthenticated', 'username or password is wrong');
    }
    return sessions.issue(username);
  }

  async listUsers(request?: ListRequest, call?: CallContext): Promise<readonly User[]> {
    checkListRequest(request);
    refuseRestricted(call);
    const users = await this.#options.store.users.list();
    return users.map(({ subject, roles }) => ({ subject, roles: roles as readonly RoleName[] }));
  }

  /** Adds the user if there is none: an outside subject, or one whose password follows. */
  async setRoles(request: SetRolesRequest, call?: CallContext): Promise<User> {
    const { subject, roles } = checkSetRolesRequest(request);
    refuseRestricted(call);
    const { users } = this.#options.store;
    const unique = [...new Set(roles)];
    if (!(await users.setRoles(subject, unique, 'admin'))) throw onlyAdmin(subject);
    this.#options.changed();
    return { subject, roles: unique };
  }

  async listRoles(request?: ListRequest): Promise<readonly Role[]> {
    checkListRequest(request);
    return ROLES;
  }

  async listTokens(request?: ListRequest, call?: CallContext): Promise<readonly TokenRecord[]> {
    checkListRequest(request);
    refuseRestricted(call);
    return (await this.#options.store.tokens.list()).map(recordOf);
  }

  /** Throws invalid_argument for a time that has passed, limit_exceeded. */
  async createToken(request: TokenDraft, call?: CallContext): Promise<NewToken> {
    const draft = checkTokenDraft(request);
    refuseRestricted(call);
    const { tokens } = this.#options.store;
    const now = this.#now();
    const expiresMs = draft.expires_at === undefined ? null : Date.parse(draft.expires_at);
    if (expiresMs !== null && expiresMs <= now) {
      throw new LhsError('invalid_argument', `"expires_at" ${draft.expires_at} has passed`);
    }
    if ((await tokens.count()) >= MOST_TOKENS) {
      const message = `there are ${MOST_TOKENS} tokens already: revoke some`;
      throw new LhsError('limit_exceeded', message);
    }
    const { id, secret } = newApiToken();
    const stored: StoredToken = {
      id,
      name: draft.name,
      secretHash: hashSecret(secret),
      roles: [...new Set(draft.roles)],
      indexes: draft.indexes ?? null,
      tenant: draft.tenant ?? null,
      createdBy: call?.principal?.subject ?? '',
      createdMs: now,
      expiresMs,
    };
    await tokens.add(stored);
    return { ...recordOf(stored), token: apiTokenText({ id, secret }) };
  }

  async revokeToken(request: RevokeTokenRequest, call?: CallContext): Promise<void> {
    const { id } = checkRevokeTokenRequest(request);
    refuseRestricted(call);
    if (!(await this.#options.store.tokens.remove(id))) {
      throw new LhsError('not_found', `there is no token "${id}"`);
    }
    this.#options.changed();
  }
}

const onlyAdmin = (subject: string): LhsError =>
  new LhsError('invalid_argument', `"${subject}" is the only admin: ${LAST_ADMIN}`);

function recordOf(token: StoredToken): TokenRecord {
  const { id, name, roles, indexes, tenant, createdMs: created_ms, expiresMs } = token;
  return {
    id,
    name,
    roles: roles as readonly RoleName[],
    ...(indexes === null ? {} : { indexes }),
    ...(tenant === null ? {} : { tenant }),
    created_ms,
    ...(expiresMs === null ? {} : { expires_at: new Date(expiresMs).toISOString() }),
  };
}

/** A caller of some indexes or of one tenant could else make a token without the restriction. */
function refuseRestricted(call: CallContext | undefined): void {
  const principal = call?.principal;
  if (principal?.tenant === undefined && principal?.indexes === undefined) return;
  const message = 'accounts are closed to callers that are restricted to indexes or a tenant';
  throw new LhsError('permission_denied', message);
}
