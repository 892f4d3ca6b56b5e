import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  catalog,
  load,
  metadata,
  rest,
  serveCatalog,
  TABLE,
  TABLE_PATH,
} from '../../test/served-catalog.ts';
import type { LakeError } from '../base/errors.ts';
import { listTables } from './load-table.ts';

serveCatalog();

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
    rest.handlers.set(route, () => answer);
    await expect(load()).rejects.toMatchObject({
      reason: code,
      message: expect.stringMatching(words),
    });
  });

  it('follows nothing that a server sends: every request goes to the one origin', async () => {
    rest.handlers.set('GET /v1/config', () => ({
      body: {
        defaults: { 'oauth2-server-uri': 'http://169.254.169.254/', 'header.x-evil': 'a\r\nb: c' },
        overrides: { prefix: 'a?b/c', 'token-refresh-endpoint': 'http://10.0.0.1/' },
      },
    }));
    await load().catch(() => undefined);
    expect(rest.seen.map((r) => r.url)).toEqual([
      '/v1/config',
      '/v1/a%3Fb/c/namespaces/ns/tables/t?snapshots=all',
    ]);
    expect(rest.seen[1]!.headers['x-evil']).toBeUndefined();
    rest.handlers.set('GET /v1/config', () => ({ body: { overrides: { prefix: '../../admin' } } }));
    await expect(load()).rejects.toThrow(/leaves its own path/);
  });

  it('repeats a read after a passing fault, and gives up after a few', async () => {
    let times = 0;
    const inner = rest.handlers.get(TABLE_PATH)!;
    rest.handlers.set(TABLE_PATH, (request, url, body) =>
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
    rest.handlers.set('GET /v1/config', (request) => {
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
    rest.handlers.set('POST /v1/oauth/tokens', (_request, _url, body) => ({
      status: 400,
      body: { error: { message: `no such secret: ${body}` } },
    }));
    expect(await failed(load(named, options))).not.toContain('hush-hush');
    rest.handlers.set('POST /v1/oauth/tokens', () => ({
      body: { access_token: 'fetched-token', token_type: 'bearer' },
    }));
    const table = await load(named, options);
    rest.handlers.set(TABLE_PATH, (request) => ({
      status: 403,
      body: { error: { message: `${request.headers.authorization} and fetched-token` } },
    }));
    const text = await failed(table.refresh());
    expect(text).toContain('Bearer *** and ***');
    expect(text).not.toMatch(/vended|fetched-token/);
  });

  it('leave an abort as it is', async () => {
    const stop = new AbortController();
    rest.handlers.set('GET /v1/config', () => {
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
