import type { Json, Operation } from '@lakehouse-search/contract';
import type { HTTPMethods } from 'fastify';
import type { UrlParams } from '../base/read-json.ts';
import { clipped, illegal } from '../query/refusal.ts';
import type { AdapterCall } from './adapter-call.ts';

/** What an endpoint answers: JSON, or the text of a table. */
export interface Answer {
  /** Default: 200. */
  readonly status?: number;
  readonly json?: Json;
  readonly text?: string;
}

/** An endpoint of the adapter. */
export interface Endpoint {
  readonly methods: readonly HTTPMethods[];
  /** Paths of the router: `/:index/_search`. */
  readonly paths: readonly string[];
  /** The operation whose scope a caller needs. */
  readonly operation: Operation;
  /** Parameters of the URL, besides those of every endpoint. */
  readonly params: readonly string[];
  /** The body is lines of JSON: its call has it as a text. */
  readonly isLined?: true;
  answer(call: AdapterCall): Promise<Answer>;
}

/** Parameters of every endpoint. */
const COMMON: ReadonlySet<string> = new Set([
  ...['filter_path', 'pretty', 'human', 'error_trace', 'format'],
  ...['source', 'source_content_type'],
]);
/** Parameters of endpoints that read indexes by name. */
export const INDEX_PARAMS = [
  ...['ignore_unavailable', 'allow_no_indices', 'expand_wildcards', 'ignore_throttled', 'local'],
  ...['preference', 'master_timeout', 'cluster_manager_timeout'],
] as const;

/** Throws for a parameter that an endpoint does not have. */
export function requireKnown(params: UrlParams, endpoint: Endpoint, path: string): void {
  const isKnown = (name: string) => COMMON.has(name) || endpoint.params.includes(name);
  const unknown = Object.keys(params).find((name) => !isKnown(name));
  if (unknown === undefined) return;
  const shown = clipped(path);
  throw illegal(`request [${shown}] contains unrecognized parameter: [${clipped(unknown)}]`);
}
