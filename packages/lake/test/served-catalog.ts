import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import type { JsonObject } from '../src/base/json.ts';
import type { RestCatalogConfig } from '../src/catalog/config.ts';
import { loadTable } from '../src/catalog/load-table.ts';
import type { LoadOptions } from '../src/catalog/table-handle.ts';
import { metadataJson } from './metadata-json.ts';

/** What the catalog answers to a request. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}
type Handler = (request: IncomingMessage, url: URL, body: string) => Answer | undefined;

/** Metadata of the table at the catalog. */
export const metadata = (snapshots: readonly JsonObject[] = []) =>
  metadataJson({ location: 'file:///wh/ns/t', snapshots });
/** What the catalog answers about its table. */
export const TABLE = {
  'metadata-location': 'file:///wh/ns/t/metadata/00001-a.metadata.json',
  metadata: metadata(),
  config: {
    'client.region': 'x',
    's3.endpoint': 'http://169.254.169.254/',
    uri: 'http://evil/',
    token: 'vended',
  },
  'storage-credentials': [
    { prefix: 'file:///wh', config: { 's3.access-key-id': 'short' } },
    { prefix: 'file:///wh/ns/t', config: { 's3.access-key-id': 'long' } },
    { prefix: 's3://else', config: { 's3.access-key-id': 'other' } },
  ],
};
/** The request of the table. */
export const TABLE_PATH = 'GET /v1/wh/namespaces/ns/tables/t';

/**
 * A catalog of ours that answers as open-api/rest-catalog-open-api.yaml says, for each test of a
 * file; tests replace single answers by hostile ones.
 */
export const rest = {
  origin: '',
  seen: [] as {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[],
  handlers: new Map<string, Handler>(),
};

function respond(response: ServerResponse, answer: Answer): void {
  const { body } = answer;
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    ...answer.headers,
  });
  response.end(
    typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body ?? {}),
  );
}

/** Serves the catalog while a test of this file runs. */
export function serveCatalog(): void {
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      rest.seen.push({
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body,
      });
      const answer = rest.handlers.get(`${request.method} ${url.pathname}`)?.(request, url, body);
      const missing = { error: { message: 'not here', type: 'NoSuchTableException', code: 404 } };
      respond(response, answer ?? { status: 404, body: missing });
    });
  });
  beforeEach(async () => {
    rest.seen = [];
    rest.handlers = new Map<string, Handler>([
      [
        'GET /v1/config',
        () => ({ body: { defaults: { prefix: 'default' }, overrides: { prefix: 'wh' } } }),
      ],
      [TABLE_PATH, () => ({ body: TABLE })],
    ]);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    rest.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
}

/** The catalog, as a table is loaded from it. */
export const catalog = (over: Partial<RestCatalogConfig> = {}): RestCatalogConfig => ({
  type: 'rest',
  uri: rest.origin,
  ...over,
});

/** Loads a table from the catalog. */
export const load = (
  over: Partial<RestCatalogConfig> = {},
  options: LoadOptions = {},
  table = 'ns.t',
) => loadTable({ catalog: catalog(over), table }, options);
