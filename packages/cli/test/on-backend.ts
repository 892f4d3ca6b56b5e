import { cpSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { byEffort, seedOfDay } from '../../../test/support/effort.ts';
import type { Home, RunOptions } from './child.ts';
import { type Served, startServed } from './served.ts';

/** What runs commands. */
export type BackendName = 'the embedded engine' | 'a service over REST' | 'a service over gRPC';

const EMBEDDED: BackendName = 'the embedded engine';
const SERVICES: readonly BackendName[] = ['a service over REST', 'a service over gRPC'];
/** The backends of a suite of commands; services take as long again each. */
export const BACKENDS: readonly BackendName[] = byEffort([EMBEDDED], [EMBEDDED, ...SERVICES]);
/** The same, in a brief run with one service, another one each day. */
export const SELECTED: readonly BackendName[] = byEffort(
  [EMBEDDED, SERVICES[seedOfDay() % 2]],
  [EMBEDDED, ...SERVICES],
);

/** Runs commands of a home on a backend. */
export type Runs = Pick<Home, 'run' | 'json' | 'path'>;

/**
 * The same home with its commands on a backend. A service has a copy of the data folder, made by
 * `begin`, so that both backends may be written.
 */
export function onBackend(home: Home, backend: BackendName) {
  const isRemote = backend !== EMBEDDED;
  let served: Served | undefined;
  let url = '';
  const withUrl = (options: RunOptions = {}): RunOptions =>
    isRemote ? { ...options, env: { LHS_URL: url, ...options.env } } : options;
  const runs: Runs = {
    run: (args, options) => home.run(args, withUrl(options)),
    json: (args, options) => home.json(args, withUrl(options)),
    path: (...parts) => home.path(...parts),
  };
  return {
    ...runs,
    isRemote,
    async begin(): Promise<void> {
      if (!isRemote) return;
      const copy = home.path(backend.replaceAll(' ', '-'));
      cpSync(home.path('data'), copy, { recursive: true });
      served = await startServed(home, ['--no-sync', '--data-dir', copy]);
      url = backend.endsWith('REST') ? served.url : `grpc://${served.grpc}`;
    },
    end: async (): Promise<void> => served?.stop(),
  };
}

/** Where a suite of commands runs. */
export interface Place {
  readonly backend: BackendName;
  readonly isRemote: boolean;
  /** A brief run on a service: a suite runs a selection of its tests. */
  readonly isBrief: boolean;
  /** The data folder of the backend. */
  readonly dataDir: string;
}

/**
 * Runs a suite once per backend. Meanwhile all commands of the home run there, but for those that
 * work on this machine alone. A service has a copy of the data folder as the suite finds it, so
 * that each backend may be written.
 */
export function describeOnBackends(name: string, home: Home, suite: (place: Place) => void): void {
  describe.each(SELECTED)(`${name} on %s`, (backend) => {
    const isRemote = backend !== EMBEDDED;
    const dataDir = isRemote ? home.path(backend.replaceAll(' ', '-')) : home.path('data');
    let served: Served | undefined;
    beforeAll(async () => {
      if (!isRemote) return;
      cpSync(home.path('data'), dataDir, { recursive: true });
      served = await startServed(home, ['--no-sync', '--data-dir', dataDir]);
      home.service = backend.endsWith('REST') ? served.url : `grpc://${served.grpc}`;
    });
    afterAll(async () => {
      home.service = '';
      await served?.stop();
    });
    suite({ backend, isRemote, isBrief: isRemote && byEffort(true, false), dataDir });
  });
}
