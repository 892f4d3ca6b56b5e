import type { Principal } from '@lakehouse-search/contract';
import { type AccountsApi, isUnreachable } from '@lakehouse-search/contract/internal';
import type { Access } from '../access/access.ts';
import { seedAdmin } from '../access/first-admin.ts';
import { openAccess } from '../access/open-access.ts';
import { outsideTokens } from '../access/outside-tokens.ts';
import { RememberedCallers, type RememberTimes } from '../access/remembered-callers.ts';
import { Sessions } from '../access/sessions.ts';
import { authorizeByScope, requireHeader, StoredAccess } from '../access/stored-access.ts';
import { StoredAccounts } from '../access/stored-accounts.ts';
import type { IssuerConfig } from '../config/server-config.ts';
import type { ControlPlaneAccounts } from '../control-plane/control-plane-client.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { Store } from '../store/open-store.ts';
import { LateAdmin } from './late-admin.ts';
import type { Release } from './releases.ts';

/** Who may call a service. */
export interface Callers {
  readonly access: Access;
  /** Absent: the service is open. */
  readonly accounts?: AccountsApi;
  /** A password that was generated for the first admin; it is shown once. */
  readonly adminPassword?: string;
  /** The first admin, if it could not be made at the start. */
  readonly lateAdmin?: LateAdmin;
}

/** The callers of an open service: everybody. */
export const OPEN_CALLERS: Callers = Object.freeze({ access: openAccess });

/** Callers with accounts in the store, and with tokens of outside issuers. */
export function storedCallers(
  store: Store,
  issuers: readonly IssuerConfig[],
  times: RememberTimes = {},
) {
  const sessions = new Sessions(store.signingKeys);
  const access = new StoredAccess({ store, sessions, outside: outsideTokens(issuers), times });
  const changed = () => access.forget();
  return { access, accounts: new StoredAccounts({ store, sessions, changed }) };
}

/**
 * Makes the first admin if there is no account. Returns the password that was generated. Throws
 * invalid_argument.
 */
export async function openAccounts(
  store: Pick<Store, 'users'>,
  password: string | undefined,
): Promise<string | undefined> {
  return seedAdmin(store.users, password);
}

/** The same, which needs the store until there is an account. */
export function accountsOpener(
  store: Pick<Store, 'users'>,
): (password: string | undefined) => Promise<string | undefined> {
  let isOpen = false;
  return async (password) => {
    if (isOpen) return undefined;
    const made = await openAccounts(store, password);
    isOpen = true;
    return made;
  };
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

/** How a closed gateway under a control plane starts. */
export interface LedCallersOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly faults: RepeatedFaults;
  readonly later: (release: Release) => void;
}

/**
 * The callers of a closed gateway under a control plane: the accounts are those of the cluster. A
 * header that was verified is remembered. A control plane that is away makes the first admin later.
 * Throws invalid_argument.
 */
export async function ledCallers(
  accounts: AccountsApi,
  planes: ControlPlaneAccounts,
  { env, faults, later }: LedCallersOptions,
): Promise<Callers> {
  const open = () => planes.open(env.LHS_ADMIN_PASSWORD || undefined);
  const first = await open().catch((fault: unknown) => {
    if (!isUnreachable(fault)) throw fault;
    return new LateAdmin({ open, faults, fault });
  });
  const callers = new RememberedCallers({ verify: (header) => planes.authenticate(header) });
  // nobody makes a gateway call its control plane without credentials
  const authenticate = async (authorization: string | undefined): Promise<Principal> =>
    (await callers.callerOf(requireHeader(authorization))).principal;
  const byScope = { authorize: authorizeByScope, permit: authorizeByScope };
  const access = Object.freeze({ authenticate, ...byScope });
  if (!(first instanceof LateAdmin)) {
    return { access, accounts, ...(first ? { adminPassword: first } : {}) };
  }
  later(() => first.close());
  return { access, accounts, lateAdmin: first };
}
