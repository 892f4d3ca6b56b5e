import { describe, expect, it } from 'vitest';
import {
  catalog,
  load,
  metadata,
  rest,
  serveCatalog,
  TABLE,
  TABLE_PATH,
} from '../../test/served-catalog.ts';
import { listTables, loadTable } from './load-table.ts';

serveCatalog();

describe('loading from a REST catalog', () => {
  it('asks for the config first, takes its prefix, and reads the table', async () => {
    const table = await load({ warehouse: 'big one', prefix: 'mine' });
    expect(rest.seen.map((r) => r.url)).toEqual([
      '/v1/config?warehouse=big+one',
      '/v1/wh/namespaces/ns/tables/t?snapshots=all',
    ]);
    expect(rest.seen[1]!.headers['x-iceberg-access-delegation']).toBe('vended-credentials');
    expect(rest.seen[1]!.headers.authorization).toBeUndefined();
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
    rest.handlers.set(TABLE_PATH, () => ({
      body: text.replace('"snapshot-id":1', `"snapshot-id":${id}`),
    }));
    expect((await load()).metadata.snapshots[0]!.id).toBe(BigInt(id));
  });

  it('refreshes with the vended token and without ETag, and notices a new version', async () => {
    const table = await load();
    expect(await table.refresh()).toBe(table);
    expect(rest.seen.at(-1)!.headers.authorization).toBe('Bearer vended');
    expect(rest.seen.at(-1)!.headers['if-none-match']).toBeUndefined();
    const next = {
      ...TABLE,
      'metadata-location': 'file:///wh/ns/t/metadata/00002-b.metadata.json',
    };
    rest.handlers.set(TABLE_PATH, () => ({ body: next }));
    const newer = await table.refresh();
    expect(newer.metadata.file).toMatch(/00002/);
    expect(await newer.refresh()).toBe(newer);
  });

  it('encodes namespaces and names', async () => {
    await load({}, {}, 'a b.c.t?x#y').catch(() => undefined);
    expect(rest.seen.at(-1)!.url).toBe(
      '/v1/wh/namespaces/a%20b%1Fc/tables/t%3Fx%23y?snapshots=all',
    );
  });

  it('keeps the path of the base uri', async () => {
    rest.handlers.set('GET /api/cat/v1/config', () => ({ body: { overrides: { prefix: 'p/q' } } }));
    rest.handlers.set('GET /api/cat/v1/p/q/namespaces/ns/tables/t', () => ({ body: TABLE }));
    expect((await load({ uri: `${rest.origin}/api/cat/` })).name).toBe('ns.t');
  });

  it('loads a table in a store that is not read, and refuses its files by name', async () => {
    const body = { ...TABLE, metadata: { ...metadata(), location: 'oss://bucket/t' } };
    rest.handlers.set(TABLE_PATH, () => ({ body }));
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
    expect(rest.seen.map((r) => r.headers.authorization)).toEqual([
      'Bearer secret',
      'Bearer secret',
    ]);
    await expect(load({ token_env: 'T' }, { env: {} })).rejects.toMatchObject({
      reason: 'catalog_refused',
      message: expect.stringContaining('"T" is not set'),
    });
  });

  it('exchanges client credentials, and renews a token that was refused', async () => {
    let issued = 0;
    rest.handlers.set('POST /v1/oauth/tokens', () => ({
      body: { access_token: `t${++issued}`, token_type: 'bearer', expires_in: 3600 },
    }));
    const inner = rest.handlers.get(TABLE_PATH)!;
    rest.handlers.set(TABLE_PATH, (request, url, body) =>
      request.headers.authorization === 'Bearer t1'
        ? { status: 419, body: { error: { message: 'expired', type: 'X', code: 419 } } }
        : inner(request, url, body),
    );
    await load({ credential_env: 'C', scope: 'PRINCIPAL_ROLE:ALL' }, { env: { C: 'id:se:cret' } });
    const form = Object.fromEntries(new URLSearchParams(rest.seen[0]!.body));
    expect(form).toEqual({
      grant_type: 'client_credentials',
      client_id: 'id',
      client_secret: 'se:cret',
      scope: 'PRINCIPAL_ROLE:ALL',
    });
    expect(issued).toBe(2);
    expect(rest.seen.at(-1)!.headers.authorization).toBe('Bearer t2');
  });

  it('asks the token endpoint that the user names', async () => {
    rest.handlers.set('POST /idp/token', () => ({
      body: { access_token: 'x', token_type: 'bearer' },
    }));
    await load(
      { credential_env: 'C', oauth2_server_uri: `${rest.origin}/idp/token` },
      { env: { C: 's' } },
    );
    expect(rest.seen[0]!.url).toBe('/idp/token');
    expect(new URLSearchParams(rest.seen[0]!.body).has('client_id')).toBe(false);
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
    rest.handlers.set('GET /v1/wh/namespaces', (_request, url) => {
      if (url.searchParams.get('parent') === 'a') return { body: { namespaces: [['a', 'deep']] } };
      if (url.searchParams.has('parent')) return { body: { namespaces: [] } };
      return url.searchParams.get('pageToken') === ''
        ? { body: { namespaces: [['a']], 'next-page-token': 'p2' } }
        : { body: { namespaces: [['b']] } };
    });
    const list = (namespace: string[], ...names: string[]) => ({
      body: { identifiers: names.map((name) => ({ namespace, name })), 'next-page-token': null },
    });
    rest.handlers.set('GET /v1/wh/namespaces/a/tables', () => list(['a'], 'y', 'x'));
    rest.handlers.set('GET /v1/wh/namespaces/b/tables', () => list(['b']));
    rest.handlers.set('GET /v1/wh/namespaces/a%1Fdeep/tables', () => list(['a', 'deep'], 'z'));
    expect((await listTables(catalog())).tables).toEqual(['a.deep.z', 'a.x', 'a.y']);
  });

  it('joins levels by the separator of the catalog', async () => {
    rest.handlers.set('GET /v1/config', () => ({
      body: { defaults: {}, overrides: { prefix: 'wh', 'namespace-separator': '%2E' } },
    }));
    rest.handlers.set('GET /v1/wh/namespaces', (_request, url) => {
      const parent = url.searchParams.get('parent');
      if (parent === null) return { body: { namespaces: [['a']] } };
      return { body: { namespaces: parent === 'a' ? [['a', 'b']] : [] } };
    });
    rest.handlers.set('GET /v1/wh/namespaces/a/tables', () => ({ body: { identifiers: [] } }));
    rest.handlers.set('GET /v1/wh/namespaces/a.b/tables', () => ({
      body: { identifiers: [{ namespace: ['a', 'b'], name: 't' }] },
    }));
    rest.handlers.set('GET /v1/wh/namespaces/a.b/tables/t', () => ({ body: TABLE }));
    expect(await listTables(catalog())).toEqual({ tables: ['a.b.t'], unread: [] });
    const { metadata } = await loadTable({ catalog: catalog(), table: 'a.b.t' });
    expect(metadata.uuid).toBe(TABLE.metadata['table-uuid']);
  });

  it('names namespaces that are not listed, and lists the others', async () => {
    rest.handlers.set('GET /v1/wh/namespaces', (_request, url) =>
      url.searchParams.has('parent')
        ? { body: { namespaces: [] } }
        : { body: { namespaces: [['bad'], ['gone'], ['good']] } },
    );
    rest.handlers.set('GET /v1/wh/namespaces/good/tables', () => ({
      body: { identifiers: [{ namespace: ['good'], name: 't' }] },
    }));
    rest.handlers.set('GET /v1/wh/namespaces/bad/tables', (request) => ({
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
    rest.handlers.set('GET /v1/wh/namespaces', () => ({ body: { namespaces: [['a']] } }));
    rest.handlers.set('GET /v1/wh/namespaces/a/tables', () => ({ body: { identifiers: [] } }));
    expect((await listTables(catalog())).tables).toEqual([]);
    rest.handlers.set('GET /v1/wh/namespaces', () => ({
      body: { namespaces: [], 'next-page-token': 'again' },
    }));
    await expect(listTables(catalog())).rejects.toThrow(/pages without end/);
  });
});
