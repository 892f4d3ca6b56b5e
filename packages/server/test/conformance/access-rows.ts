import { expect } from 'vitest';
import { type Caller, INDEX, idsOf, keyOf, type Loose, restRow, row, type Section } from './row.ts';

const QUERY = { ...INDEX, query: 'timeout' };
const MCP = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const LOGIN = { username: 'admin', password: 'long-enough' };

/** Authentication, scopes, tenants, errors, limits, versions. */
export const ACCESS_ROWS: Section = {
  title: 'Authentication, errors, versions',
  rows: [
    row('missing credentials: 401', (ask) => ask.refused(401, 'search', QUERY, 'none')),
    restRow('401 has `WWW-Authenticate: Bearer`', async (ask) => {
      const response = await ask.http('GET', '/v1/indexes', { headers: { authorization: '' } });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      return null;
    }),
    row('login needs no credentials, and returns a session `token`', async (ask) => {
      const body = await ask.ok('login', LOGIN, 'none');
      expect(body.token.split('.')).toHaveLength(3);
      await ask.refused(401, 'login', { ...LOGIN, password: 'wrong' }, 'none');
      return Object.keys(body).sort();
    }),
    restRow('`Authorization: Bearer` with a session token', async (ask) => {
      const { token } = await ask.ok('login', LOGIN, 'none');
      const headers = { authorization: `Bearer ${token}` };
      expect((await ask.http('GET', '/v1/indexes', { headers })).status).toBe(200);
      return null;
    }),
    row('the first admin is seeded', async (ask) => {
      const users = await ask.ok('listUsers');
      expect(users).toContainEqual({ subject: 'admin', roles: ['admin'] });
      return null;
    }),
    row('roles and their scopes; listing them needs IndexRead', async (ask) => {
      const roles = await ask.ok('listRoles', {}, 'reader');
      expect(roles).toEqual([
        { role: 'reader', scopes: ['search', 'index_read'] },
        { role: 'operator', scopes: ['index_read', 'ops'] },
        { role: 'admin', scopes: ['search', 'index_read', 'ops', 'admin'] },
      ]);
      return roles;
    }),
    row('reader and operator cannot create, drop, ingest or reindex: 403', async (ask) => {
      const definition = 'version: 1';
      return [
        await ask.refused(403, 'createIndex', { definition }, 'both'),
        await ask.refused(403, 'dropIndex', INDEX, 'both'),
        await ask.refused(403, 'sync', INDEX, 'both'),
        await ask.refused(403, 'reindex', INDEX, 'both'),
      ];
    }),
    row('403 names the scope: the method requires the `admin` scope', async (ask) => {
      const message = await ask.refused(403, 'reindex', INDEX, 'both');
      expect(message).toMatch(/requires the `admin` scope/);
      return message;
    }),
    row('maintenance needs operator or admin', async (ask) => {
      await ask.refused(403, 'compact', INDEX, 'reader');
      for (const caller of ['both', 'admin'] as Caller[]) await ask.ok('compact', INDEX, caller);
      return null;
    }),
    row('alias writes, users and tokens need admin', async (ask) => [
      await ask.refused(403, 'setAlias', { alias: 'a', ...INDEX }, 'both'),
      await ask.refused(403, 'listUsers', {}, 'both'),
      await ask.refused(403, 'setRoles', { subject: 'x', roles: [] }, 'both'),
      await ask.refused(403, 'listTokens', {}, 'both'),
      await ask.refused(403, 'createToken', { name: 'x', roles: ['reader'] }, 'both'),
      await ask.refused(403, 'revokeToken', { id: 'x' }, 'both'),
    ]),
    row('PUT /v1/users/{subject}/roles sets the roles', async (ask) => {
      const user = { subject: `ann-${ask.transport}`, roles: ['reader', 'operator'] };
      expect(await ask.ok('setRoles', user)).toEqual(user);
      expect(await ask.ok('listUsers')).toContainEqual(user);
      return user;
    }),
    row('API tokens: shown once, listed without the secret, revoked', async (ask) => {
      const draft = { name: `ci-${ask.transport}`, roles: ['reader'], indexes: ['tickets'] };
      const { token, ...record } = await ask.ok('createToken', draft);
      const listed = await ask.ok('listTokens');
      expect(listed).toContainEqual(record);
      expect(JSON.stringify(listed)).not.toContain(token.slice(-43));
      const headers = { authorization: `ApiKey ${token}` };
      expect((await ask.http('GET', '/v1/indexes/tickets', { headers })).status).toBe(200);
      await ask.ok('revokeToken', { id: record.id });
      // A gateway knows a caller for up to a second.
      const statusNow = async () =>
        (await ask.http('GET', '/v1/indexes/tickets', { headers })).status;
      await expect.poll(statusNow).toBe(401);
      return { ...record, id: '', created_ms: 0 };
    }),
    row('a token of other indexes cannot touch this one: 403', async (ask) => [
      await ask.refused(403, 'search', QUERY, 'scoped'),
      await ask.refused(403, 'reindex', INDEX, 'scoped'),
    ]),
    row('with `tenant_field`, every read has the filter of the caller’s tenant', async (ask) => {
      const page = { ...INDEX, query: '*:* OR status:open', limit: 100 };
      const body = await ask.ok('search', page, 'tenant');
      expect(body.total).toBe(15);
      const aggs = { s: { terms: { field: 'status' } } };
      const { results } = await ask.ok('aggregate', { ...INDEX, aggs }, 'tenant');
      expect(results.s.buckets).toEqual([{ key: 'closed', doc_count: 15 }]);
      return [idsOf(body).length, results];
    }),
    row('a key of another tenant is not resolved', async (ask) => {
      const keys = [keyOf('4'), keyOf('5')];
      const body = await ask.ok('getKeys', { ...INDEX, keys }, 'tenant');
      expect(body.rows.map(({ key }: Loose) => key)).toEqual([keyOf('4')]);
      return body;
    }),
    row('errors: `{"error": {"code", "status", "message", "details"}}`', async (ask) => {
      const { status, body } = await ask('search', { index: 'nothing', query: 'a' }, 'admin');
      const { error } = body as Loose;
      expect([status, error.status, error.code]).toEqual([404, 404, 'index_not_found']);
      expect([typeof error.message, typeof error.details]).toEqual(['string', 'object']);
      return body;
    }),
    row(
      'InvalidArgument is 400, NotFound 404, Unauthenticated 401, PermissionDenied 403',
      async (ask) => [
        await ask.refused(400, 'search', { ...INDEX, query: '(' }),
        await ask.refused(404, 'search', { index: 'nothing' }),
        await ask.refused(401, 'listIndexes', {}, 'none'),
        await ask.refused(403, 'listUsers', {}, 'reader'),
      ],
    ),
    row('a snapshot that is not reached in time: 412', async (ask) => {
      const request = { ...QUERY, min_snapshot: '1', wait_ms: 1 };
      expect(await ask.refused(412, 'search', request)).toMatch(/^index "tickets" is at snapshot/);
      return null;
    }),
    restRow('GET /mcp: 405', async (ask) => {
      expect((await ask.http('GET', '/mcp')).status).toBe(405);
      return null;
    }),
    restRow('POST /mcp without a valid token: 401 with `WWW-Authenticate: Bearer`', async (ask) => {
      for (const authorization of ['', 'Bearer nothing']) {
        const headers = { ...MCP, authorization };
        const response = await ask.http('POST', '/mcp', { headers, body: TOOLS });
        const challenge = response.headers.get('www-authenticate');
        expect([response.status, challenge]).toEqual([401, 'Bearer']);
      }
      return null;
    }),
    restRow(
      'tools of /mcp: search, hydrate, aggregate, list_indexes, describe_index',
      async (ask) => {
        const response = await ask.http('POST', '/mcp', { headers: MCP, body: TOOLS });
        const names = [...(await response.text()).matchAll(/"name":"(\w+)"/g)].map(
          ([, name]) => name,
        );
        const wanted = ['search', 'hydrate', 'aggregate', 'list_indexes', 'describe_index'];
        expect(names).toEqual(expect.arrayContaining(wanted));
        return null;
      },
    ),
    restRow('an `Origin` of another site at /mcp is refused: 403', async (ask) => {
      const headers = { ...MCP, origin: 'http://evil.example' };
      expect((await ask.http('POST', '/mcp', { headers, body: TOOLS })).status).toBe(403);
      return null;
    }),
    restRow(
      'an `Origin` on this machine, and that of the request’s Host, are accepted',
      async (ask) => {
        const { origin } = new URL(ask.url);
        for (const own of [origin, 'http://localhost:1234', 'http://127.0.0.1']) {
          const headers = { ...MCP, origin: own };
          expect((await ask.http('POST', '/mcp', { headers, body: TOOLS })).status).toBe(200);
        }
        return null;
      },
    ),
    row(
      'a token has `name`, `roles`, `indexes`, `tenant`, `created_ms`, `expires_at`',
      async (ask) => {
        const draft = {
          ...{ name: `whole-${ask.transport}`, roles: ['reader'], indexes: ['tickets'] },
          ...{ tenant: 'closed', expires_at: '2099-01-01T00:00:00Z' },
        };
        const { id, token, created_ms, ...others } = await ask.ok('createToken', draft);
        expect(others).toMatchObject({
          ...draft,
          expires_at: expect.stringMatching(/^2099-01-01T/),
        });
        expect([typeof id, typeof token, typeof created_ms]).toEqual([
          'string',
          'string',
          'number',
        ]);
        return others;
      },
    ),
    restRow('another method of a known path: 405 with `Allow`', async (ask) => {
      const response = await ask.http('GET', '/v1/search');
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      return null;
    }),
    restRow('metrics proxy without a metrics server: 501', async (ask) => {
      const paths = ['query?query=up', 'query_range?query=up', 'alerts'];
      for (const path of paths) {
        expect((await ask.http('GET', `/v1/stats/${path}`)).status).toBe(501);
      }
      return null;
    }),
    restRow('REST paths are under /v1, the description as well', async (ask) => {
      const response = await ask.http('GET', '/v1/openapi.json');
      const { paths } = (await response.json()) as { paths: object };
      expect(Object.keys(paths).filter((path) => !path.startsWith('/v1/'))).toEqual(['/mcp']);
      return null;
    }),
  ],
};
