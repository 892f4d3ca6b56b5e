import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LhsError } from '@lakehouse-search/contract';

/** The programs of worker threads; each is an export of the package of the same name. */
export type WorkerName =
  | 'build-worker'
  | 'embed-worker'
  | 'merge-worker'
  | 'shard-worker'
  | 'transformer-worker'
  | 'verify-worker';

/**
 * The file of a worker: beside the module that starts it (`import.meta.url`), as source, as built,
 * or beside a bundle that contains the module.
 */
export const workerEntry = (name: WorkerName, module: string): URL =>
  new URL(`./${name}${extname(module)}`, module);

/** False where a bundle contains the engine and has no worker beside it. */
export const hasWorker = (entry: URL): boolean =>
  entry.protocol === 'file:' && existsSync(fileURLToPath(entry));

/** Throws unsupported unless the file of a worker exists. */
export function requireWorker(entry: URL, what: string): void {
  if (hasWorker(entry)) return;
  const name = /[^/]*(?=\.\w+$)/.exec(entry.pathname)?.[0];
  const path = entry.protocol === 'file:' ? fileURLToPath(entry) : entry.href;
  throw new LhsError('unsupported', `${what} runs "${path}", which is missing`, {
    hint: `add "@lakehouse-search/engine/${name}" to the entries of the bundle`,
  });
}
