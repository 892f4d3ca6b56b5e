import type { AccountsApi, Principal } from '@lakehouse-search/contract';
import type { Access } from '../access/access.ts';
import { seedAdmin } from '../access/first-admin.ts';
import { loginAttempts } from '../access/login-attempts.ts';
import { openAccess } from '../access/open-access.ts';
import { outsideTokens } from '../access/outside-tokens.ts';
import { Sessions } from '../access/sessions.ts';
import { authorizeByScope, requireHeader, StoredAccess } from '../access/stored-access.ts';
import { StoredAccounts } from '../access/stored-accounts.ts';
import type { IssuerConfig } from '../config/server-config.ts';
import type { ControlPlaneAccounts } from '../control-plane/control-plane-client.ts';
import type { Store } from '../store/open-store.ts';

/** Who may call a service. */
export interface Callers {
  readonly access: Access;
  /** Absent: the service is open. */
  readonly accounts?: AccountsApi;
  /** A password that was generated for the first admin; it is shown once. */
  readonly adminPassword?: string;
}

/** The callers of an open service: everybody. */
export const OPEN_CALLERS: Callers = Object.freeze({ access: openAccess });

/** Callers with accounts in the store, and with tokens of outside issuers. */
export function storedCallers(store: Store, issuers: readonly IssuerConfig[]) {
  const sessions = new Sessions(store.signingKeys);
  const access = new StoredAccess({ store, sessions, outside: outsideTokens(issuers) });
  const changed = () => access.forget();
  return {
    access,
    accounts: new StoredAccounts({ store, sessions, attempts: loginAttempts(), changed }),
  };
}

/**
 * Makes the first admin if there is no account. Returns the password that was generated. Throws
 * invalid_argument.
 */
export async function openAccounts(
  store: Store,
  password: string | undefined,
): Promise<string | undefined> {
  return seedAdmin(store.users, password);
}

/**
 * The callers of a closed service: accounts in the store, tokens of outside issuers. Makes the
 * first admin. Throws invalid_argument.
 */
export async function closedCallers(
  store: Store,
  issuers: readonly IssuerConfig[],
  env: NodeJS.ProcessEnv,
): Promise<Callers> {
  const adminPassword = await openAccounts(store, env.LHS_ADMIN_PASSWORD || undefined);
  return {
    ...storedCallers(store, issuers),
    ...(adminPassword === undefined ? {} : { adminPassword }),
  };
}

/** Milliseconds for which a gateway remembers a caller that a control plane has verified. */
const REMEMBER_MS = 1000;
const MOST_REMEMBERED = 10_000;

/**
 * The callers of a closed gateway under a control plane: the accounts are those of the cluster. A
 * header that was verified is remembered for a second. Throws unreachable, invalid_argument.
 */
export async function ledCallers(
  accounts: AccountsApi,
  planes: ControlPlaneAccounts,
  env: NodeJS.ProcessEnv,
): Promise<Callers> {
  const adminPassword = await planes.open(env.LHS_ADMIN_PASSWORD || undefined);
  const remembered = new Map<string, { readonly principal: Principal; readonly until: number }>();
  const authenticate = async (authorization: string | undefined): Promise<Principal> => {
    // nobody makes a gateway call its control plane without credentials
    const header = requireHeader(authorization);
    const known = remembered.get(header);
    if (known !== undefined && performance.now() < known.until) return known.principal;
    const principal = await planes.authenticate(header);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(header, { principal, until: performance.now() + REMEMBER_MS });
    return principal;
  };
  const byScope = { authorize: authorizeByScope, permit: authorizeByScope };
  const access = Object.freeze({ authenticate, ...byScope });
  return { access, accounts, ...(adminPassword === undefined ? {} : { adminPassword }) };
}
