import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../../scripts/console.ts';
import { type ConsoleAssets, readConsole } from '../src/console/console-assets.ts';
import { createGateway, type Gateway } from '../src/gateway/gateway.ts';
import { servedConsole } from '../src/serve/served-console.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** Bytes of the program when it is compressed with gzip. */
const MOST_BYTES = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'lhs-console-'));
const backend = { listIndexes: async () => [] } as unknown as BackendApi;
const access = { authenticate: () => undefined, authorize() {} };
let assets: ConsoleAssets;
let gateway: Gateway;
let plain: Gateway;
let adapted: Gateway;

beforeAll(async () => {
  await buildConsole(folder);
  assets = readConsole(folder);
  gateway = await createGateway({ backend, access, console: assets });
  plain = await createGateway({ backend, access });
  adapted = await createGateway({ backend, access, console: assets, searchAdapter: {} });
});

afterAll(async () => {
  await Promise.all([gateway, plain, adapted].map((one) => one?.close()));
  rmSync(folder, { recursive: true, force: true });
});

interface Asked {
  readonly accept?: string;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly of?: Gateway;
}

const ask = (url: string, { accept, method = 'GET', headers, of = gateway }: Asked = {}) =>
  of.rest.inject({ method, url, headers: { ...(accept && { accept }), ...headers } });

describe('the page of the console', () => {
  it('is at / for browsers, with a policy that permits its own files alone', async () => {
    const { statusCode, headers, body } = await ask('/?utm=1', { accept: BROWSER });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
    expect(body).toBe(assets.page.plain.toString());
  });

  it('has no inline script, style or foreign address, and names files that are served', () => {
    const page = assets.page.plain.toString();
    expect(page).not.toMatch(/<style|\s(style|on\w+)=|https?:|<script(?![^>]*src=)/);
    const named = [...page.matchAll(/(?:src|href)="console\/([^"]+)"/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(assets.files.map(({ name }) => name).sort());
  });

  it('is not sent again if the browser has it', async () => {
    const { etag } = (await ask('/', { accept: BROWSER })).headers;
    const again = await ask('/', { accept: BROWSER, headers: { 'if-none-match': `W/${etag}` } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(again.headers.etag).toBe(etag);
  });

  it.each(['/console', '/console/'])('is where %s leads', async (path) => {
    const { statusCode, headers } = await ask(path, { accept: BROWSER });
    expect(statusCode).toBe(302);
    expect(new URL(String(headers.location), `http://h${path}`).pathname).toBe('/');
  });

  it.each([undefined, '*/*', 'application/json'])(
    'is nothing for clients of %s',
    async (accept) => {
      const [with_, without] = [await ask('/', { accept }), await ask('/', { accept, of: plain })];
      expect([with_.statusCode, with_.body]).toEqual([404, without.body]);
      expect(with_.headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );

  it('is not there for other methods, and without the console', async () => {
    expect((await ask('/', { accept: BROWSER, method: 'POST' })).statusCode).toBe(404);
    expect((await ask('/', { accept: BROWSER, of: plain })).statusCode).toBe(404);
  });
});

describe('files of the console', () => {
  it('never change under their name, and come in the best encoding', async () => {
    for (const { name, type, plain: whole } of assets.files) {
      const sizes: number[] = [];
      for (const [accepted, encoding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip', 'gzip'],
        ['', undefined],
      ] as const) {
        const answer = await ask(`/console/${name}`, { headers: { 'accept-encoding': accepted } });
        expect(answer.statusCode).toBe(200);
        expect(answer.headers['content-encoding']).toBe(encoding);
        expect(answer.headers['content-type']).toBe(type);
        expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
        sizes.push(answer.rawPayload.length);
      }
      expect(sizes[2]).toBe(whole.length);
      expect(sizes[0]).toBeLessThan(whole.length);
    }
  });

  it('answer HEAD without a body, and 304 to who has them', async () => {
    const [{ name, etag, plain: whole }] = assets.files;
    const head = await ask(`/console/${name}`, { method: 'HEAD' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(whole.length));
    const known = { 'if-none-match': `"other", ${etag}` };
    expect((await ask(`/console/${name}`, { headers: known })).statusCode).toBe(304);
  });

  it.each([
    ...['/console/index.html', '/console/assets.json', '/console/LICENSES.txt', '/console/x.js'],
    ...['/console/../package.json', '/console/..%2f..%2fpackage.json', '/console//etc/passwd'],
    ...['/console/%2e%2e/%2e%2e/etc/passwd', '/console/..\\package.json', '/console/__proto__'],
  ])('are those of the list: %s is none', async (path) => {
    const { statusCode, headers } = await ask(path, { accept: BROWSER });
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('are small', () => {
    const scripts = assets.files.filter(({ name }) => name.endsWith('.js'));
    const bytes = scripts.reduce((sum, { gzip }) => sum + gzip.length, 0);
    expect(bytes).toBeGreaterThan(5000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});

describe('the console beside the search adapter', () => {
  const vendored = 'application/vnd.elasticsearch+json; compatible-with=9';

  it.each([undefined, '*/*', vendored])('leaves / to clients of %s', async (accept) => {
    const { statusCode, body, headers } = await ask('/', { accept, of: adapted });
    expect([statusCode, headers['x-elastic-product']]).toEqual([200, 'Elasticsearch']);
    expect(JSON.parse(body).tagline).toBe('You Know, for Search');
  });

  it('has / for browsers', async () => {
    const { body } = await ask('/', { accept: BROWSER, of: adapted });
    expect(body).toBe(assets.page.plain.toString());
  });

  it('leaves an index named console to the adapter', async () => {
    const { headers, body } = await ask('/console/_search', { of: adapted });
    expect(headers['x-elastic-product']).toBe('Elasticsearch');
    expect(JSON.parse(body).error.root_cause).toHaveLength(1);
  });
});

describe('the setting of the console', () => {
  it('turns it off', () => {
    const warned: unknown[] = [];
    const logger = { warn: (...words: unknown[]) => void warned.push(words) };
    expect(servedConsole({ console: false }, logger)).toEqual({});
    expect(warned).toEqual([]);
  });
});
