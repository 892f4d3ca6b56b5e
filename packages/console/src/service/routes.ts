/** The operations that the console calls, and where REST has them. */
import type { ServiceApi } from '@lakehouse-search/contract/internal';

/** `VERB path`; fields of `{braces}` are in the path. A test compares them with the client's. */
export const ROUTES = Object.freeze({
  search: 'POST /v1/search',
  semantic: 'POST /v1/search:semantic',
  hybrid: 'POST /v1/search:hybrid',
  explain: 'POST /v1/explain',
  facets: 'POST /v1/facets',
  suggest: 'POST /v1/suggest',
  aggregate: 'POST /v1/aggregate',
  getKeys: 'POST /v1/keys:get',
  listIndexes: 'GET /v1/indexes',
  describeIndex: 'POST /v1/index:describe',
  activity: 'POST /v1/index:activity',
  listIngestion: 'GET /v1/ingestion',
  status: 'POST /v1/index:status',
  listJobs: 'GET /v1/jobs',
  cancelJob: 'DELETE /v1/jobs/{job_id}',
  listAliases: 'GET /v1/aliases',
  setAlias: 'POST /v1/aliases',
  dropAlias: 'DELETE /v1/aliases/{alias}',
  listSavedQueries: 'GET /v1/saved-queries',
  createSavedQuery: 'POST /v1/saved-queries',
  deleteSavedQuery: 'DELETE /v1/saved-queries/{id}',
  consoleConfig: 'GET /v1/config',
  login: 'POST /v1/login',
} as const);

/** An operation of the console. */
export type ConsoleOperation = keyof typeof ROUTES & keyof ServiceApi;

/** The request of an operation. */
export type RequestOf<O extends ConsoleOperation> = NonNullable<Parameters<ServiceApi[O]>[0]>;

/** The response of an operation. */
export type ResponseOf<O extends ConsoleOperation> = Awaited<ReturnType<ServiceApi[O]>>;

/** Method, path below the service and body of a request. */
export interface HttpParts {
  readonly method: string;
  /** Path and query, without a slash at the begin. */
  readonly target: string;
  readonly body?: string;
}

/** A request of an operation as HTTP. */
export function httpParts(operation: ConsoleOperation, request: object): HttpParts {
  const [method, path] = ROUTES[operation].split(' ');
  const fields = new Map(Object.entries(request));
  const target = path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method === 'POST')
    return { method, target, body: JSON.stringify(Object.fromEntries(fields)) };
  const query = new URLSearchParams();
  for (const [name, value] of fields) if (value !== undefined) query.append(name, String(value));
  return { method, target: query.size === 0 ? target : `${target}?${query}` };
}
