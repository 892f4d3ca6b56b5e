import type { AccountsApi } from '@lakehouse-search/contract';
import type { Access } from '../access/access.ts';
import { seedAdmin } from '../access/first-admin.ts';
import { loginAttempts } from '../access/login-attempts.ts';
import { openAccess } from '../access/open-access.ts';
import { outsideTokens } from '../access/outside-tokens.ts';
import { requireHashing } from '../access/passwords.ts';
import { Sessions } from '../access/sessions.ts';
import { StoredAccess } from '../access/stored-access.ts';
import { StoredAccounts } from '../access/stored-accounts.ts';
import type { IssuerConfig } from '../config/server-config.ts';
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

/**
 * The callers of a closed service: accounts in the store, tokens of outside issuers. Makes the
 * first admin. Throws unsupported, invalid_argument.
 */
export async function closedCallers(
  store: Store,
  issuers: readonly IssuerConfig[],
  env: NodeJS.ProcessEnv,
): Promise<Callers> {
  requireHashing();
  const sessions = new Sessions(store.signingKeys);
  const access = new StoredAccess({ store, sessions, outside: outsideTokens(issuers) });
  const changed = () => access.forget();
  const accounts = new StoredAccounts({ store, sessions, attempts: loginAttempts(), changed });
  const adminPassword = await seedAdmin(store.users, env.LHS_ADMIN_PASSWORD || undefined);
  return { access, accounts, ...(adminPassword === undefined ? {} : { adminPassword }) };
}
