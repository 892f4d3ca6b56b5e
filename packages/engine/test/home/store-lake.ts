import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineOptions } from '@lakehouse-search/engine/internal';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { S3Server } from '../../../lake/test/s3-server.ts';

/** What a test has of an object store and of an index that it publishes there. */
export interface StoreLake {
  /** The store, in this process; all tests of a file share it. */
  readonly server: S3Server;
  readonly lake: SmallLake;
  /** Where the test publishes. */
  readonly place: string;
  /** A folder that goes away. */
  readonly work: string;
  /** The folder of the cache. */
  readonly cache: string;
  /** Starts a new, empty cache for indexes that are opened later. */
  emptyCache(): void;
  /** The objects of a place, by key. */
  objects(place?: string): readonly (readonly [key: string, object: { readonly bytes: Buffer }])[];
}

let places = 0;

/** Gives each test of the calling file a lake, a place and an empty cache of its own. */
export function storeLakes(options: EngineOptions = {}): StoreLake {
  let server: S3Server;
  let own: Pick<StoreLake, 'lake' | 'place' | 'work'>;
  let cache: string;
  const emptyCache = (): void => {
    cache = mkdtempSync(join(own.work, 'cache-'));
    vi.stubEnv('LHS_COLD_CACHE_DIR', cache);
  };
  beforeAll(async () => {
    server = await S3Server.start('home');
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    const work = mkdtempSync(join(tmpdir(), 'lhs-store-'));
    const lake = await openSmallLake(options);
    own = { lake, work, place: `s3://home/at-${places++}` };
    emptyCache();
  });
  afterEach(async () => {
    server.fault = () => null;
    server.ignoresConditions = false;
    await own.lake.close();
    rmSync(own.work, { recursive: true, force: true });
    vi.unstubAllEnvs();
  });
  return {
    get server() {
      return server;
    },
    get lake() {
      return own.lake;
    },
    get place() {
      return own.place;
    },
    get work() {
      return own.work;
    },
    get cache() {
      return cache;
    },
    emptyCache,
    objects: (place = own.place) =>
      [...server.buckets.get('home')!].filter(([key]) =>
        `s3://home/${key}`.startsWith(`${place}/`),
      ),
  };
}
