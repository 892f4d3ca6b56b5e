import { isUnreachable } from '@lakehouse-search/contract/internal';
import { ActivityLog } from './activity.ts';
import { Aliases } from './aliases.ts';
import { ClusterJobs } from './cluster-jobs.ts';
import type { Statements, StoreDatabase } from './database.ts';
import { Definitions } from './definitions.ts';
import { DroppedIndexes } from './dropped-indexes.ts';
import { Faults } from './faults.ts';
import { type Lease, Leases } from './leases.ts';
import { type License, readLicense, writeLicense } from './license.ts';
import { migrate } from './migrations.ts';
import { Nodes } from './nodes.ts';
import { Placements } from './placements.ts';
import { readReceiptKey } from './receipt-key.ts';
import { Routes } from './routes.ts';
import { SigningKeys } from './signing-keys.ts';
import { Tokens } from './tokens.ts';
import { UserQueries } from './user-queries.ts';
import { Users } from './users.ts';

/** Where the store of a server is. */
export type StoreLocation = { readonly file: string } | { readonly postgres: string };

/** What a cluster remembers of its indexes. */
export interface ClusterStore {
  readonly definitions: Definitions;
  readonly aliases: Aliases;
  readonly routes: Routes;
  readonly nodes: Nodes;
  readonly dropped: DroppedIndexes;
  readonly placements: Placements;
  readonly jobs: ClusterJobs;
}

/** What a server remembers beside its indexes. */
export interface Store extends ClusterStore {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly signingKeys: SigningKeys;
  readonly queries: UserQueries;
  readonly activity: ActivityLog;
  readonly leases: Leases;
  readonly faults: Faults;
  /**
   * Changes the cluster in one transaction, all or nothing. With a lease, the changes are made only
   * while the lease is in force: throws fenced otherwise.
   */
  change<T>(lease: Lease | null, work: (cluster: ClusterStore) => Promise<T>): Promise<T>;
  /** The private key of receipts in PEM, made at its first use. */
  receiptKey(): Promise<string>;
  license(): Promise<License | undefined>;
  setLicense(license: License): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a store at the newest schema. `startsWithout`: a database that cannot be reached is used
 * once it is back, at the schema that other processes have brought it to. Throws io_error,
 * unreachable, unsupported.
 */
export async function openStore(location: StoreLocation, startsWithout = false): Promise<Store> {
  const database = await openDatabase(location);
  try {
    await migrate(database);
    return storeOver(database);
  } catch (error) {
    if (startsWithout && isUnreachable(error)) return storeOver(database);
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

function clusterOver(statements: Statements): ClusterStore {
  return {
    definitions: new Definitions(statements),
    aliases: new Aliases(statements),
    routes: new Routes(statements),
    nodes: new Nodes(statements),
    dropped: new DroppedIndexes(statements),
    placements: new Placements(statements),
    jobs: new ClusterJobs(statements),
  };
}

function storeOver(database: StoreDatabase): Store {
  const leases = new Leases(database);
  return {
    ...clusterOver(database),
    leases,
    faults: new Faults(database),
    change: (lease, work) =>
      lease === null
        ? database.transaction((statements) => work(clusterOver(statements)))
        : leases.fenced(lease, (statements) => work(clusterOver(statements))),
    users: new Users(database),
    tokens: new Tokens(database),
    signingKeys: new SigningKeys(database),
    queries: new UserQueries(database),
    activity: new ActivityLog(database),
    receiptKey: () => readReceiptKey(database),
    license: () => readLicense(database),
    setLicense: (license) => writeLicense(database, license),
    close: () => database.close(),
  };
}
