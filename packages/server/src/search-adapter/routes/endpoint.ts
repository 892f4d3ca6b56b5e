import type { Json } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import type { HTTPMethods } from 'fastify';
import type { UrlParams } from '../base/read-json.ts';
import { clipped, illegal, unserved } from '../query/refusal.ts';
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

/** Parameters of the imitated engine that are refused by name wherever they are not read. */
const UNSERVED: ReadonlySet<string> = new Set([
  ...['routing', 'stored_fields', 'version', 'version_type', 'terminate_after', 'min_score'],
  ...['force_synthetic_source', 'suggest_field', 'suggest_mode', 'suggest_size', 'suggest_text'],
  ...['min_compatible_shard_node', 'search_pipeline', 'analyzer', 'seq_no_primary_term'],
]);

/** Throws for a parameter that an endpoint does not have. */
export function requireKnown(params: UrlParams, endpoint: Endpoint, path: string): void {
  const isKnown = (name: string) => COMMON.has(name) || endpoint.params.includes(name);
  const { format = 'json' } = params;
  if (format !== 'json' && format !== 'text') {
    throw unserved(`parameter [format] of [${clipped(format)}] is not served by this adapter`);
  }
  const unknown = Object.keys(params).find((name) => !isKnown(name));
  if (unknown === undefined) return;
  if (UNSERVED.has(unknown)) {
    throw unserved(`parameter [${unknown}] of [${clipped(path)}] is not served by this adapter`);
  }
  const shown = clipped(path);
  throw illegal(`request [${shown}] contains unrecognized parameter: [${clipped(unknown)}]`);
}
