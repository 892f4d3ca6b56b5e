import { LhsError, type Principal, type Scope } from '@lakehouse-search/contract';
import { OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import type { Store } from '../store/open-store.ts';
import type { Access } from './access.ts';
import { isValidToken, parseApiToken } from './api-tokens.ts';
import type { VerifyOutside } from './outside-tokens.ts';
import {
  hasExpired,
  RememberedCallers,
  type RememberTimes,
  type VerifiedCaller,
} from './remembered-callers.ts';
import { ROLES, scopesOf } from './roles.ts';
import type { Sessions } from './sessions.ts';

/** What a closed service checks callers with. */
export interface StoredAccessOptions {
  readonly store: Pick<Store, 'users' | 'tokens'>;
  readonly sessions: Sessions;
  readonly outside: VerifyOutside;
  readonly now?: () => number;
  /** How long verified headers are remembered. */
  readonly times?: RememberTimes;
}

/** Longer headers hold no token of ours and of no issuer that we know. */
const HEADER_CHARS = 16_384;

/**
 * Callers by `Bearer` (sessions, outside tokens, API tokens) and `ApiKey`. A header that was
 * verified is remembered; a change of accounts in this process takes effect at once.
 */
export class StoredAccess implements Access {
  readonly #options: StoredAccessOptions;
  readonly #now: () => number;
  readonly #callers: RememberedCallers;

  constructor(options: StoredAccessOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const verify = (header: string) => this.#verified(header);
    this.#callers = new RememberedCallers({ verify, now: this.#now, ...options.times });
  }

  /** The caller of a header. Throws unauthenticated without saying why. */
  async authenticate(authorization: string | undefined): Promise<Principal> {
    return (await this.callerOf(authorization)).principal;
  }

  /** The same with the end of its credentials. Throws unauthenticated. */
  async callerOf(authorization: string | undefined): Promise<VerifiedCaller> {
    return this.#callers.callerOf(requireHeader(authorization));
  }

  async #verified(header: string): Promise<VerifiedCaller> {
    const now = this.#now();
    const caller = await this.#callerOf(header, now);
    if (caller === undefined || hasExpired(caller, now)) throw unknownCaller();
    return caller;
  }

  /** Throws permission_denied, naming the scope, unless the caller has it. */
  authorize(principal: Principal | undefined, operation: Operation): void {
    authorizeByScope(principal, operation);
  }

  permit(principal: Principal | undefined, operation: Operation): void {
    authorizeByScope(principal, operation);
  }

  /** Forgets all verified headers: accounts have changed. */
  forget(): void {
    this.#callers.forget();
  }

  #callerOf(authorization: string, now: number): Promise<VerifiedCaller | undefined> {
    const [, scheme, text] = SCHEME.exec(authorization)!;
    // clients that know one scheme send API tokens as Bearer
    const isKey = scheme.toLowerCase() === 'apikey' || parseApiToken(text) !== undefined;
    return isKey ? this.#ofApiToken(text, now) : this.#ofBearer(text, now);
  }

  async #ofApiToken(text: string, now: number): Promise<VerifiedCaller | undefined> {
    const token = parseApiToken(text);
    const stored = token && (await this.#options.store.tokens.get(token.id));
    if (stored === undefined || !isValidToken(stored, token!.secret, now)) return undefined;
    const principal = {
      subject: `token:${stored.id}`,
      scopes: scopesOf(stored.roles),
      ...(stored.indexes === null ? {} : { indexes: stored.indexes }),
      ...(stored.tenant === null ? {} : { tenant: stored.tenant }),
    };
    return { principal, expiresMs: stored.expiresMs };
  }

  async #ofBearer(text: string, now: number): Promise<VerifiedCaller | undefined> {
    const session = await this.#options.sessions.verify(text);
    if (session === undefined) return this.#ofOutside(text, now);
    const { subject, expiresMs } = session;
    const user = await this.#options.store.users.get(subject);
    if (user === undefined) return undefined;
    return { principal: { subject, scopes: scopesOf(user.roles) }, expiresMs };
  }

  /** Roles that an admin gave to the subject of an outside token count besides its own. */
  async #ofOutside(text: string, now: number): Promise<VerifiedCaller | undefined> {
    const caller = await this.#options.outside(text, now);
    if (caller === undefined) return undefined;
    const { principal, expiresMs } = caller;
    const user = await this.#options.store.users.get(principal.subject);
    const scopes = [...new Set([...principal.scopes, ...scopesOf(user?.roles ?? [])])];
    return { principal: { ...principal, scopes }, expiresMs };
  }
}

const SCHEME = /^(bearer|apikey) +([^ ]+)$/i;

/** The header if it may hold credentials. Throws unauthenticated. */
export function requireHeader(authorization: string | undefined): string {
  const isShort = authorization !== undefined && authorization.length <= HEADER_CHARS;
  if (isShort && SCHEME.test(authorization)) return authorization;
  throw unknownCaller();
}

/** Throws permission_denied, naming the scope, unless the caller has that of the operation. */
export function authorizeByScope(principal: Principal | undefined, operation: Operation): void {
  const scope = OPERATIONS[operation].scope;
  if (scope === null) return;
  if (principal === undefined) throw unknownCaller();
  if (!principal.scopes.includes(scope)) throw lacksScope(principal, operation, scope);
}

function unknownCaller(): LhsError {
  return new LhsError('unauthenticated', 'the credentials are missing, invalid or expired', {
    hint: 'send "Authorization: Bearer TOKEN" or "Authorization: ApiKey TOKEN"',
  });
}

/** The error of a caller without a scope: what the caller has, and which roles have the scope. */
export function lacksScope(caller: Principal, operation: Operation, scope: Scope): LhsError {
  const message = `${operation} requires the \`${scope}\` scope`;
  const own = caller.scopes.length === 0 ? 'none' : caller.scopes.join(', ');
  const roles = ROLES.filter(({ scopes }) => scopes.includes(scope)).map(({ role }) => role);
  return new LhsError('permission_denied', message, {
    hint: `the scopes of this caller: ${own}; an admin gives the role ${roles.join(' or ')}`,
    details: { operation, scope },
  });
}
