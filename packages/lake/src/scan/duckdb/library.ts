import { createRequire } from 'node:module';
import type duckdb from '@duckdb/node-bindings';

type NodeApi = typeof import('@duckdb/node-api');
const load = createRequire(import.meta.url);
let api: NodeApi | undefined;
let native: typeof duckdb | undefined;

/**
 * DuckDB's node API, loaded at the first call: its 180 modules and its native library cost more
 * time than a whole search, and most commands never need them.
 */
export function nodeApi(): NodeApi {
  api ??= load('@duckdb/node-api') as NodeApi;
  return api;
}

/** DuckDB's C API, loaded at the first call. */
export function bindings(): typeof duckdb {
  native ??= load('@duckdb/node-bindings') as typeof duckdb;
  return native;
}
