import { createRequire } from 'node:module';
import type duckdb from '@duckdb/node-bindings';
import { LakeError } from '../../base/errors.ts';

type NodeApi = typeof import('@duckdb/node-api');
const load = createRequire(import.meta.url);
let api: NodeApi | undefined;
let native: typeof duckdb | undefined;

/**
 * DuckDB's node API, loaded at the first call: its 180 modules and its native library cost more
 * time than a whole search, and most commands never need them.
 */
export function nodeApi(): NodeApi {
  api ??= installed(() => load('@duckdb/node-api') as NodeApi);
  return api;
}

/** DuckDB's C API, loaded at the first call. */
export function bindings(): typeof duckdb {
  native ??= installed(() => load('@duckdb/node-bindings') as typeof duckdb);
  return native;
}

/** What `open` loads. Throws unsupported if DuckDB is not installed. */
function installed<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new LakeError(
      'unsupported',
      'this needs the package "@duckdb/node-api", which is not installed; ' +
        'install it beside @lakehouse-search/lake',
      { cause: error },
    );
  }
}
