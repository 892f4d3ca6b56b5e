/** Endpoints that the adapter refuses: known ones by name, all others as unknown. */
import type { HTTPMethods } from 'fastify';
import { clipped, illegal, unserved } from '../query/refusal.ts';

/** A method and a path that are refused. */
export interface RefusedRoute {
  readonly methods: readonly HTTPMethods[];
  readonly path: string;
}

const ALL: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH'];

/** Every path that begins with `_`, below an index or at the root, and writes to an index. */
export const REFUSED_ROUTES: readonly RefusedRoute[] = [
  { methods: ALL, path: '/_*' },
  { methods: ALL, path: '/:index/_*' },
  { methods: ['PUT', 'DELETE', 'POST'], path: '/:index' },
];

const WRITES: ReadonlySet<string> = new Set([
  ...['_bulk', '_doc', '_create', '_update', '_update_by_query', '_delete_by_query', '_reindex'],
  ...['_refresh', '_flush', '_forcemerge', '_close', '_open', '_clone', '_shrink', '_split'],
  ...['_settings', '_mapping', '_mappings', '_alias', '_aliases', '_rollover', '_bulk_by_scroll'],
]);
const OTHERS: Readonly<Record<string, string>> = {
  _ingest: 'ingest pipelines',
  _scripts: 'scripts',
  _template: 'index templates',
  _index_template: 'index templates',
  _component_template: 'index templates',
  _render: 'search templates',
  _msearch: 'search templates',
  _search: 'this kind of search',
  _percolate: 'percolators',
  _async_search: 'asynchronous searches',
  _sql: 'SQL',
  _query: 'ES|QL',
  _eql: 'EQL',
  _knn_search: 'the endpoint _knn_search',
  _cat: 'this table',
  _termvectors: 'term vectors',
  _mtermvectors: 'term vectors',
  _terms_enum: 'the endpoint _terms_enum',
  _rank_eval: 'rank evaluation',
  _security: 'accounts',
  _tasks: 'tasks',
  _snapshot: 'snapshots',
  _analyze: 'analysis of texts',
  _stats: 'statistics of indexes',
  _search_shards: 'the shards of a search',
  _license: 'licenses',
  _xpack: 'information on features',
  _data_stream: 'data streams',
};

/** The refusal of a request: writes and known endpoints by name. */
export function refusalOf(method: string, url: string): Error {
  const path = url.split('?')[0];
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.find((part) => part.startsWith('_'));
  const isWrite =
    name === undefined
      ? method !== 'GET' && method !== 'HEAD'
      : WRITES.has(name) && method !== 'GET' && method !== 'HEAD';
  const shown = clipped(`${method} ${path}`);
  if (isWrite) {
    return unserved(
      `[${shown}] is not served by this adapter: it reads only, and the table is written elsewhere`,
    );
  }
  if (name !== undefined && Object.hasOwn(OTHERS, name)) {
    return unserved(`this adapter does not serve ${OTHERS[name]}: [${shown}]`);
  }
  return illegal(`no handler found for uri [${clipped(path)}] and method [${method}]`);
}
