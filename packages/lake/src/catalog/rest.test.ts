import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metadataJson } from '../../test/metadata-json.ts';
import type { LakeError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { RestCatalogConfig } from './config.ts';
import { listTables, loadTable } from './load-table.ts';
import type { LoadOptions } from './table-handle.ts';

/**
 * A catalog of ours that answers as open-api/rest-catalog-open-api.yaml says; tests replace single
 * answers by hostile ones.
 */
interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}
type Handler = (request: IncomingMessage, url: URL, body: string) => Answer | undefined;

let server: Server;
let origin: string;
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
let handlers: Map<string, Handler>;

const metadata = (snapshots: readonly JsonObject[] = []) =>
  metadataJson({ location: 'file:///wh/ns/t', snapshots });
const TABLE = {
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

beforeEach(async () => {
  seen = [];
  handlers = new Map<string, Handler>([
    [
      'GET /v1/config',
      () => ({ body: { defaults: { prefix: 'default' }, overrides: { prefix: 'wh' } } }),
    ],
    ['GET /v1/wh/namespaces/ns/tables/t', () => ({ body: TABLE })],
  ]);
  server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      const answer = handlers.get(`${request.method} ${url.pathname}`)?.(request, url, body);
      const missing = { error: { message: 'not here', type: 'NoSuchTableException', code: 404 } };
      respond(response, answer ?? { status: 404, body: missing });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const catalog = (over: Partial<RestCatalogConfig> = {}): RestCatalogConfig => ({
  type: 'rest',
  uri: origin,
  ...over,
});
const load = (over: Partial<RestCatalogConfig> = {}, options: LoadOptions = {}, table = 'ns.t') =>
  loadTable({ catalog: catalog(over), table }, options);
const TABLE_PATH = 'GET /v1/wh/namespaces/ns/tables/t';

describe('loading from a REST catalog', () => {
  it('asks for the config first, takes its prefix, and reads the table', async () => {
    const table = await load({ warehouse: 'big one', prefix: 'mine' });
    expect(seen.map((r) => r.url)).toEqual([
      '/v1/config?warehouse=big+one',
      '/v1/wh/namespaces/ns/tables/t?snapshots=all',
    ]);
    expect(seen[1]!.headers['x-iceberg-access-delegation']).toBe('vended-credentials');
    expect(seen[1]!.headers.authorization).toBeUndefined();
    expect(table.name).toBe('ns.t');
    expect(table.metadata.file).toBe('file:///wh/ns/t/metadata/00001-a.metadata.json');
    expect(table.files.resolve('file:/wh/ns/t/data/x')).toBe('/wh/ns/t/data/x');
    expect(() => table.files.resolve('/etc/passwd')).toThrow(/refused/);
    expect(table.commit).not.toBeNull();
  });

  it('keeps the longest storage credential, and drops settings that lead elsewhere', async () => {
    const { config } = await load();
    expect(config).toEqual({ 'client.region': 'x', 's3.access-key-id': 'long' });
  });

  it('keeps 64-bit ids exact', async () => {
    const id = '9007199254740993';
    const text = JSON.stringify({
      ...TABLE,
      metadata: metadata([
        { 'snapshot-id': 1, 'timestamp-ms': 1, 'manifest-list': 'x', summary: {} },
      ]),
    });
    handlers.set(TABLE_PATH, () => ({
      body: text.replace('"snapshot-id":1', `"snapshot-id":${id}`),
    }));
    expect((await load()).metadata.snapshots[0]!.id).toBe(BigInt(id));
  });

  it('refreshes with the vended token and without ETag, and notices a new version', async () => {
    const table = await load();
    expect(await table.refresh()).toBe(table);
    expect(seen.at(-1)!.headers.authorization).toBe('Bearer vended');
    expect(seen.at(-1)!.headers['if-none-match']).toBeUndefined();
    const next = {
      ...TABLE,
      'metadata-location': 'file:///wh/ns/t/metadata/00002-b.metadata.json',
    };
    handlers.set(TABLE_PATH, () => ({ body: next }));
    const newer = await table.refresh();
    expect(newer.metadata.file).toMatch(/00002/);
    expect(await newer.refresh()).toBe(newer);
  });

  it('encodes namespaces and names', async () => {
    await load({}, {}, 'a b.c.t?x#y').catch(() => undefined);
    expect(seen.at(-1)!.url).toBe('/v1/wh/namespaces/a%20b%1Fc/tables/t%3Fx%23y?snapshots=all');
  });

  it('keeps the path of the base uri', async () => {
    handlers.set('GET /api/cat/v1/config', () => ({ body: { overrides: { prefix: 'p/q' } } }));
    handlers.set('GET /api/cat/v1/p/q/namespaces/ns/tables/t', () => ({ body: TABLE }));
    expect((await load({ uri: `${origin}/api/cat/` })).name).toBe('ns.t');
  });

  it('loads a table in a store that is not read, and refuses its files by name', async () => {
    const body = { ...TABLE, metadata: { ...metadata(), location: 'oss://bucket/t' } };
    handlers.set(TABLE_PATH, () => ({ body }));
    const { files, metadata: read } = await load();
    expect(read.location).toBe('oss://bucket/t');
    expect(() => files.resolve('oss://bucket/t/data/x')).toThrow(
      expect.objectContaining({ code: 'unsupported', file: 'oss://bucket/t' }),
    );
  });
});

describe('identity at a REST catalog', () => {
  it('sends a bearer token from the environment, and names a missing variable', async () => {
    await load({ token_env: 'T' }, { env: { T: 'secret\n' } });
    expect(seen.map((r) => r.headers.authorization)).toEqual(['Bearer secret', 'Bearer secret']);
    await expect(load({ token_env: 'T' }, { env: {} })).rejects.toMatchObject({
      reason: 'catalog_refused',
      message: expect.stringContaining('"T" is not set'),
    });
  });

  it('exchanges client credentials, and renews a token that was refused', async () => {
    let issued = 0;
    handlers.set('POST /v1/oauth/tokens', () => ({
      body: { access_token: `t${++issued}`, token_type: 'bearer', expires_in: 3600 },
    }));
    const inner = handlers.get(TABLE_PATH)!;
    handlers.set(TABLE_PATH, (request, url, body) =>
      request.headers.authorization === 'Bearer t1'
        ? { status: 419, body: { error: { message: 'expired', type: 'X', code: 419 } } }
        : inner(request, url, body),
    );
    await load({ credential_env: 'C', scope: 'PRINCIPAL_ROLE:ALL' }, { env: { C: 'id:se:cret' } });
    const form = Object.fromEntries(new URLSearchParams(seen[0]!.body));
    expect(form).toEqual({
      grant_type: 'client_credentials',
      client_id: 'id',
      client_secret: 'se:cret',
      scope: 'PRINCIPAL_ROLE:ALL',
    });
    expect(issued).toBe(2);
    expect(seen.at(-1)!.headers.authorization).toBe('Bearer t2');
  });

  it('asks the token endpoint that the user names', async () => {
    handlers.set('POST /idp/token', () => ({ body: { access_token: 'x', token_type: 'bearer' } }));
    await load(
      { credential_env: 'C', oauth2_server_uri: `${origin}/idp/token` },
      { env: { C: 's' } },
    );
    expect(seen[0]!.url).toBe('/idp/token');
    expect(new URLSearchParams(seen[0]!.body).has('client_id')).toBe(false);
  });

  it('never sends secrets over plain http to another machine', async () => {
    const env = { T: 'x', C: 'y' };
    for (const over of [{ token_env: 'T' }, { credential_env: 'C' }]) {
      await expect(load({ ...over, uri: 'http://catalog.invalid' }, { env })).rejects.toMatchObject(
        {
          reason: 'catalog_refused',
          message: expect.stringContaining('plain http'),
        },
      );
    }
    const oauth2_server_uri = 'http://idp.invalid/t';
    await expect(load({ credential_env: 'C', oauth2_server_uri }, { env })).rejects.toThrow(
      /plain http/,
    );
  });
});

describe('listing of a REST catalog', () => {
  it('walks namespaces and pages', async () => {
    handlers.set('GET /v1/wh/namespaces', (_request, url) => {
      if (url.searchParams.get('parent') === 'a') return { body: { namespaces: [['a', 'deep']] } };
      if (url.searchParams.has('parent')) return { body: { namespaces: [] } };
      return url.searchParams.get('pageToken') === ''
        ? { body: { namespaces: [['a']], 'next-page-token': 'p2' } }
        : { body: { namespaces: [['b']] } };
    });
    const list = (namespace: string[], ...names: string[]) => ({
      body: { identifiers: names.map((name) => ({ namespace, name })), 'next-page-token': null },
    });
    handlers.set('GET /v1/wh/namespaces/a/tables', () => list(['a'], 'y', 'x'));
    handlers.set('GET /v1/wh/namespaces/b/tables', () => list(['b']));
    handlers.set('GET /v1/wh/namespaces/a%1Fdeep/tables', () => list(['a', 'deep'], 'z'));
    expect((await listTables(catalog())).tables).toEqual(['a.deep.z', 'a.x', 'a.y']);
  });

  it('joins levels by the separator of the catalog', async () => {
    handlers.set('GET /v1/config', () => ({
      body: { defaults: {}, overrides: { prefix: 'wh', 'namespace-separator': '%2E' } },
    }));
    handlers.set('GET /v1/wh/namespaces', (_request, url) => {
      const parent = url.searchParams.get('parent');
      if (parent === null) return { body: { namespaces: [['a']] } };
      return { body: { namespaces: parent === 'a' ? [['a', 'b']] : [] } };
    });
    handlers.set('GET /v1/wh/namespaces/a/tables', () => ({ body: { identifiers: [] } }));
    handlers.set('GET /v1/wh/namespaces/a.b/tables', () => ({
      body: { identifiers: [{ namespace: ['a', 'b'], name: 't' }] },
    }));
    handlers.set('GET /v1/wh/namespaces/a.b/tables/t', () => ({ body: TABLE }));
    expect(await listTables(catalog())).toEqual({ tables: ['a.b.t'], unread: [] });
    const { metadata } = await loadTable({ catalog: catalog(), table: 'a.b.t' });
    expect(metadata.uuid).toBe(TABLE.metadata['table-uuid']);
  });

  it('names namespaces that are not listed, and lists the others', async () => {
    handlers.set('GET /v1/wh/namespaces', (_request, url) =>
      url.searchParams.has('parent')
        ? { body: { namespaces: [] } }
        : { body: { namespaces: [['bad'], ['gone'], ['good']] } },
    );
    handlers.set('GET /v1/wh/namespaces/good/tables', () => ({
      body: { identifiers: [{ namespace: ['good'], name: 't' }] },
    }));
    handlers.set('GET /v1/wh/namespaces/bad/tables', (request) => ({
      status: 400,
      body: { error: { message: `odd ${request.headers.authorization}` } },
    }));
    const named = { ...catalog(), token_env: 'TOKEN' };
    const listed = await listTables(named, { env: { TOKEN: 'very-secret-token' } });
    expect(listed.tables).toEqual(['good.t']);
    expect(listed.unread.map(({ namespace }) => namespace).sort()).toEqual(['bad', 'gone']);
    expect(listed.unread.map(({ reason }) => reason).join()).toMatch(/400: odd Bearer \*\*\*/);
  });

  it('ends where a server answers every parent with its top, or pages in a circle', async () => {
    handlers.set('GET /v1/wh/namespaces', () => ({ body: { namespaces: [['a']] } }));
    handlers.set('GET /v1/wh/namespaces/a/tables', () => ({ body: { identifiers: [] } }));
    expect((await listTables(catalog())).tables).toEqual([]);
    handlers.set('GET /v1/wh/namespaces', () => ({
      body: { namespaces: [], 'next-page-token': 'again' },
    }));
    await expect(listTables(catalog())).rejects.toThrow(/pages without end/);
  });
});

describe('faults and hostile answers', () => {
  const faults: readonly (readonly [string, string, Answer, string, RegExp])[] = [
    [
      'an unknown table',
      TABLE_PATH,
      { status: 404, body: { error: { message: 'gone', code: 404 } } },
      'table_not_found',
      /ns\.t.*gone/,
    ],
    [
      'no permission',
      TABLE_PATH,
      { status: 403, body: { error: { message: 'no', code: 403 } } },
      'catalog_refused',
      /403: no/,
    ],
    ['a bad request', TABLE_PATH, { status: 400 }, 'catalog_invalid', /status 400/],
    [
      'a redirect',
      TABLE_PATH,
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      'catalog_refused',
      /redirects are not followed/,
    ],
    [
      'a redirect of the config',
      'GET /v1/config',
      { status: 307, headers: { location: '/x' } },
      'catalog_refused',
      /redirect/,
    ],
    [
      'another origin',
      'GET /v1/config',
      { body: { overrides: { uri: 'http://169.254.169.254/latest' } } },
      'catalog_refused',
      /another origin/,
    ],
    [
      'a file as origin',
      'GET /v1/config',
      { body: { overrides: { uri: 'file:///etc/passwd' } } },
      'invalid_argument',
      /not an http/,
    ],
    [
      'a page of HTML',
      TABLE_PATH,
      { body: '<html>' },
      'catalog_unreachable',
      /does not answer with JSON/,
    ],
    ['an array', TABLE_PATH, { body: [] }, 'catalog_unreachable', /expected an object/],
    [
      'metadata without schemas',
      TABLE_PATH,
      { body: { metadata: { 'format-version': 2 } } },
      'metadata_invalid',
      /schema/,
    ],
    [
      'format version 4',
      TABLE_PATH,
      { body: { ...TABLE, metadata: { ...metadata(), 'format-version': 4 } } },
      'unsupported',
      /format version 4/,
    ],
    [
      'server-side planning',
      TABLE_PATH,
      { body: { ...TABLE, config: { 'scan-planning-mode': 'server' } } },
      'unsupported',
      /plans the scans/,
    ],
    [
      'a config of numbers',
      TABLE_PATH,
      { body: { ...TABLE, config: { a: 1 } } },
      'catalog_unreachable',
      /config\.a/,
    ],
    [
      'compressed bytes unasked',
      TABLE_PATH,
      { body: gzipSync('{}') },
      'catalog_unreachable',
      /JSON/,
    ],
    ['304 at first', TABLE_PATH, { status: 304, body: '' }, 'catalog_unreachable', /304/],
  ];
  it.each(faults)('%s is named', async (_what, route, answer, code, words) => {
    handlers.set(route, () => answer);
    await expect(load()).rejects.toMatchObject({
      reason: code,
      message: expect.stringMatching(words),
    });
  });

  it('follows nothing that a server sends: every request goes to the one origin', async () => {
    handlers.set('GET /v1/config', () => ({
      body: {
        defaults: { 'oauth2-server-uri': 'http://169.254.169.254/', 'header.x-evil': 'a\r\nb: c' },
        overrides: { prefix: 'a?b/c', 'token-refresh-endpoint': 'http://10.0.0.1/' },
      },
    }));
    await load().catch(() => undefined);
    expect(seen.map((r) => r.url)).toEqual([
      '/v1/config',
      '/v1/a%3Fb/c/namespaces/ns/tables/t?snapshots=all',
    ]);
    expect(seen[1]!.headers['x-evil']).toBeUndefined();
    handlers.set('GET /v1/config', () => ({ body: { overrides: { prefix: '../../admin' } } }));
    await expect(load()).rejects.toThrow(/leaves its own path/);
  });

  it('repeats a read after a passing fault, and gives up after a few', async () => {
    let times = 0;
    const inner = handlers.get(TABLE_PATH)!;
    handlers.set(TABLE_PATH, (request, url, body) =>
      ++times < 3 ? { status: 503, headers: { 'retry-after': '0' } } : inner(request, url, body),
    );
    expect((await load()).name).toBe('ns.t');
    expect(times).toBe(3);
    times = -100;
    await expect(load()).rejects.toMatchObject({ reason: 'catalog_unreachable' });
    expect(times).toBe(-96);
  });

  it('names a server that is not there, and addresses that are none', async () => {
    await expect(load({ uri: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      reason: 'catalog_unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    for (const uri of ['ftp://x', 'nothing', 'http://user:secret@host/', 'file:///etc/passwd']) {
      const error = await load({ uri }).catch((e: Error) => e);
      expect(error).toMatchObject({ code: 'invalid_argument' });
      expect((error as Error).message).not.toContain('secret');
    }
  });
});

describe('secrets that a server sends back', () => {
  const TOKEN = `tok/en+with"signs${'0123456789'.repeat(20)}`;
  const texts = (error: unknown): string => {
    const { message, stack, file, details, cause } = error as LakeError;
    const more = cause === undefined ? '' : texts(cause);
    return [message, stack, file, JSON.stringify(details ?? {}), more].join('\n');
  };
  const echo = (sent: string) => [
    `plain ${sent}`,
    `url ${encodeURIComponent(sent)}`,
    `base64 ${Buffer.from(sent).toString('base64')}`,
  ];
  const hidden = (sent: string) => [...echo(sent), JSON.stringify(sent).slice(1, -1)];
  const failed = (work: Promise<unknown>) =>
    work.then(
      () => expect.unreachable(),
      (error: unknown) => texts(error),
    );

  it.each([
    ['a refusal', 401, (sent: string) => ({ error: { message: echo(sent).join(' ') } })],
    ['an error', 400, (sent: string) => ({ error: { message: sent } })],
    ['an error that is cut', 400, (sent: string) => ({ error: { message: sent.padStart(600) } })],
    ['what is not JSON', 200, (sent: string) => `${sent} is no token`],
    ['a wrong shape', 200, (sent: string) => ({ defaults: sent, overrides: { uri: sent } })],
    ['an override', 200, (sent: string) => ({ overrides: { prefix: `../${sent}` } })],
  ])('are masked in %s', async (_what, status, body) => {
    handlers.set('GET /v1/config', (request) => {
      const sent = request.headers.authorization!.slice('Bearer '.length);
      return { status, body: body(sent) };
    });
    const named = { token_env: 'TOKEN' };
    const said = [
      await failed(load(named, { env: { TOKEN } })),
      await failed(listTables(catalog(named), { env: { TOKEN } })),
    ];
    for (const text of said) for (const form of hidden(TOKEN)) expect(text).not.toContain(form);
    expect(said.join()).not.toContain(TOKEN.slice(0, 8));
  });

  it('are masked if they are credentials, fetched tokens or vended tokens', async () => {
    const options = { env: { C: 'client:hush-hush' } };
    const named = { credential_env: 'C' };
    handlers.set('POST /v1/oauth/tokens', (_request, _url, body) => ({
      status: 400,
      body: { error: { message: `no such secret: ${body}` } },
    }));
    expect(await failed(load(named, options))).not.toContain('hush-hush');
    handlers.set('POST /v1/oauth/tokens', () => ({
      body: { access_token: 'fetched-token', token_type: 'bearer' },
    }));
    const table = await load(named, options);
    handlers.set(TABLE_PATH, (request) => ({
      status: 403,
      body: { error: { message: `${request.headers.authorization} and fetched-token` } },
    }));
    const text = await failed(table.refresh());
    expect(text).toContain('Bearer *** and ***');
    expect(text).not.toMatch(/vended|fetched-token/);
  });

  it('leave an abort as it is', async () => {
    const stop = new AbortController();
    handlers.set('GET /v1/config', () => {
      stop.abort();
      return { body: {} };
    });
    const options = { env: { T: 'aborted' }, signal: stop.signal };
    await expect(load({ token_env: 'T' }, options)).rejects.toHaveProperty('name', 'AbortError');
  });

  it('are masked in addresses, with their queries', async () => {
    for (const uri of ['http://u:p@ss/w@host/x?token=hush', 'ftp://host/x?token=hush']) {
      const text = await failed(load({ uri }));
      expect(text).not.toMatch(/hush|u:p|ss\/w/);
      expect(text).toContain('host/x?***');
    }
  });
});
