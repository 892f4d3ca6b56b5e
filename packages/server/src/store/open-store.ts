import { ActivityLog } from './activity.ts';
import type { StoreDatabase } from './database.ts';
import { Leases } from './leases.ts';
import { type License, readLicense, writeLicense } from './license.ts';
import { migrate } from './migrations.ts';
import { Routes } from './routes.ts';
import { SigningKeys } from './signing-keys.ts';
import { Tokens } from './tokens.ts';
import { UserQueries } from './user-queries.ts';
import { Users } from './users.ts';

/** Where the store of a server is. */
export type StoreLocation = { readonly file: string } | { readonly postgres: string };

/** What a server remembers beside its indexes. */
export interface Store {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly signingKeys: SigningKeys;
  readonly queries: UserQueries;
  readonly activity: ActivityLog;
  readonly leases: Leases;
  readonly routes: Routes;
  license(): Promise<License | undefined>;
  setLicense(license: License): Promise<void>;
  close(): Promise<void>;
}

/** Opens a store at the newest schema. Throws io_error, unreachable, unsupported. */
export async function openStore(location: StoreLocation): Promise<Store> {
  const database = await openDatabase(location);
  try {
    await migrate(database);
    return storeOver(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDatabase(location: StoreLocation): Promise<StoreDatabase> {
  if ('file' in location) {
    const { openSqliteDatabase } = await import('./sqlite-database.ts');
    return openSqliteDatabase(location.file);
  }
  const { openPostgresDatabase } = await import('./postgres-database.ts');
  return openPostgresDatabase(location.postgres);
}

function storeOver(database: StoreDatabase): Store {
  return {
    users: new Users(database),
    tokens: new Tokens(database),
    signingKeys: new SigningKeys(database),
    queries: new UserQueries(database),
    activity: new ActivityLog(database),
    leases: new Leases(database),
    routes: new Routes(database),
    license: () => readLicense(database),
    setLicense: (license) => writeLicense(database, license),
    close: () => database.close(),
  };
}
