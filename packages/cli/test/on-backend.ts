import { cpSync } from 'node:fs';
import { byEffort } from '../../../test/support/effort.ts';
import type { Home, RunOptions } from './child.ts';
import { type Served, startServed } from './served.ts';

/** What runs commands. */
export type BackendName = 'the embedded engine' | 'a service over REST' | 'a service over gRPC';

const EMBEDDED: BackendName = 'the embedded engine';
/** The backends of a suite of commands; services take as long again each. */
export const BACKENDS: readonly BackendName[] = byEffort(
  [EMBEDDED],
  [EMBEDDED, 'a service over REST', 'a service over gRPC'],
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
