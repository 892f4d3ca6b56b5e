/** What a page of another site can make a browser send to an open service on this machine. */
import { connect } from 'node:http2';
import { METHODS } from '@lakehouse-search/client/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContractTable } from '../../../../test/contract/table.ts';
import { type RawRequest, sendRaw } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let removeTable = () => {};
const send = (target: string, raw: RawRequest = {}) => sendRaw(service.server.url, target, raw);
const JSON_TYPE = { 'content-type': 'application/json' };

beforeAll(async () => {
  service = await startService({
    auth: false,
    values: { 'search_adapter.enabled': true, hosts: 'search.example.com' },
    prepare: async (backend) => {
      const table = await createContractTable();
      removeTable = table.remove;
      await backend.createIndex({ definition: table.definition('notes') });
      await backend.reindex({ index: 'notes' });
    },
  });
});
afterAll(async () => {
  await service.stop();
  removeTable();
});

/** Every route of the port but the probes, with names for the parts of paths. */
const ROUTES: readonly (readonly [string, string])[] = [
  ...Object.values(METHODS).map(({ route }) => [route.verb, pathOf(route.path)] as const),
  ['GET', '/v1/openapi.json'],
  ['GET', '/v1/stats/query?query=up'],
  ['GET', '/metrics'],
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['GET', '/'],
  ['GET', '/console'],
  ['GET', '/notes/_search'],
  ['POST', '/_msearch'],
  ['PUT', '/notes/_doc/1'],
  ['GET', '/no/such/path'],
];

function pathOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, 'notes');
}

describe.each(ROUTES)('%s %s', (method, path) => {
  it.each([
    ['a rebound name', { host: 'evil.example', origin: 'http://evil.example' }],
    ['a rebound name, as a page reads it', { host: 'evil.example' }],
    ['a page of another site', { origin: 'http://evil.example' }],
    ['a page of another site without its name', { origin: 'null' }],
    ['a picture of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s', async (_, headers) => {
    const { status, text } = await send(path, { method, headers });
    expect([status, text]).toEqual([403, expect.stringMatching(/the header \\?"/)]);
  });
});

describe('an open service', () => {
  it.each([
    '/v1/aliases?alias=pwn&index=notes',
    '/v1/jobs?index=notes&kind=reindex',
    '/v1/index:rollback?index=notes',
    '/v1/index:compact?index=notes',
    '/v1/index:alter?index=notes&definition_yaml=index%3A%20notes',
    '/v1/index:backup?index=notes',
    '/v1/backups:prune?index=notes&keep=1',
    '/v1/login?username=admin&password=long-enough',
  ])('takes no fields of POST %s from the URL', async (path) => {
    const { status, text } = await send(path, { method: 'POST' });
    expect([status, text]).toEqual([400, expect.stringContaining('of the URL')]);
    const body = await send(path, { method: 'POST', headers: JSON_TYPE, body: '{}' });
    expect(body.status).toBe(400);
  });

  it.each([
    ['DELETE', '/v1/indexes/notes'],
    ['GET', '/v1/indexes'],
  ])('takes no body of %s %s', async (method, path) => {
    const body = '{"index":"notes"}';
    const headers = { ...JSON_TYPE, 'content-length': String(body.length) };
    const { status, text } = await send(path, { method, headers, body });
    expect([status, text]).toEqual([400, expect.stringContaining('has no body')]);
  });

  it('has what it had after all of these', async () => {
    const { text } = await send('/v1/indexes');
    expect(JSON.parse(text)).toMatchObject([{ name: 'notes' }]);
    expect(JSON.parse((await send('/v1/aliases')).text)).toEqual([]);
    expect(JSON.parse((await send('/v1/jobs')).text)).toHaveLength(1);
  });

  it.each([
    ['a program', {}],
    ['its own page', { origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' }],
    ['a name of the setting', { host: 'search.example.com' }],
    ['a proxy that keeps its own name', { origin: 'https://search.example.com' }],
    ['a name of the setting, in capitals', { host: 'SEARCH.example.com:8443' }],
  ])('answers %s', async (_, headers) => {
    const body = JSON.stringify({ index: 'notes', query: '*' });
    const searched = await send('/v1/search', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body,
    });
    expect(searched.status).toBe(200);
  });

  it('shows its console to who follows a link, and to nobody under another name', async () => {
    const link = {
      accept: 'text/html',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
    };
    expect((await send('/', { headers: link })).status).toBe(200);
    expect((await send('/v1/indexes', { headers: link })).status).toBe(403);
    expect((await send('/', { headers: { ...link, host: 'evil.example' } })).status).toBe(403);
  });

  it.each(['/livez', '/readyz'])('answers %s under any name', async (path) => {
    const headers = { host: '10.1.2.3', 'sec-fetch-site': 'cross-site' };
    expect((await send(path, { headers })).status).toBe(200);
  });
});

describe('gRPC', () => {
  it('needs a content type that no page sends without permission', async () => {
    const session = connect(`http://${service.server.grpc}`);
    const status = await new Promise((resolve, reject) => {
      const path = '/lhs.v1.Indexes/ListIndexes';
      const call = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'text/plain',
      });
      call.on('response', (headers) => resolve(headers[':status']));
      call.on('error', reject).end(Buffer.alloc(5));
    });
    session.destroy();
    expect(status).toBe(415);
  });
});
