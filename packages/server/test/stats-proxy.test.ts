// @module-tag campaign
// @module-tag program
/** `/v1/stats` in front of a Prometheus server: a fake one, and a real one if there is one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unusedPort } from '../../../test/support/unused-port.ts';
import { MOST_RUNNING } from '../src/serve/stats-proxy.ts';
import { startService, type TestService } from './support/service.ts';

const ANSWER = { status: 'success', data: { resultType: 'vector', result: [] } };
const seen: IncomingMessage[] = [];
let respond: (response: ServerResponse) => void;
let prometheus: Server;
let service: TestService;
let reader: string;

const json = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
};

beforeAll(async () => {
  prometheus = createServer((request, response) => {
    seen.push(request);
    respond(response);
  });
  await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve));
  const { port } = prometheus.address() as AddressInfo;
  service = await startService({
    values: { 'metrics.server': `http://127.0.0.1:${port}/prom` },
  });
  reader = await service.token({ roles: ['reader'] });
});
afterAll(async () => {
  await service?.stop();
  prometheus?.close();
});
beforeEach(() => {
  seen.length = 0;
  respond = json(200, ANSWER);
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.server.url}${path}`, { headers: { authorization: reader, ...headers } });

describe('the metrics proxy', () => {
  it.each([
    ['/v1/stats/query?query=up&time=5', '/prom/api/v1/query?query=up&time=5'],
    [
      '/v1/stats/query_range?query=up&start=1&end=2&step=1',
      '/prom/api/v1/query_range?query=up&start=1&end=2&step=1',
    ],
    ['/v1/stats/alerts', '/prom/api/v1/alerts'],
    // The parameters are encoded again.
    ['/v1/stats/query?query=a%26b%0d%0aHost:x', '/prom/api/v1/query?query=a%26b%0D%0AHost%3Ax'],
  ])('sends %s as %s', async (path, target) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([200, ANSWER]);
    expect(seen.map(({ url, method }) => [method, url])).toEqual([['GET', target]]);
  });

  it('passes on no header of the caller', async () => {
    await get('/v1/stats/alerts', { cookie: 'a=1', 'x-own': '1' });
    for (const name of ['authorization', 'cookie', 'x-own']) {
      expect(seen[0].headers).not.toHaveProperty(name);
    }
  });

  it.each([
    ['/v1/stats/query?query=up&admin=1', 400],
    ['/v1/stats/query?query=up&query=down', 400],
    [`/v1/stats/query?query=${'a'.repeat(8193)}`, 400],
    ['/v1/stats/admin', 404],
    ['/v1/stats/query%2f..%2fadmin', 404],
    ['/v1/stats/../admin', 404],
  ])('refuses %s', async (path, status) => {
    expect((await get(path)).status).toBe(status);
    expect(seen).toEqual([]);
  });

  it('sends so many requests at once, and ends those of clients that leave', async () => {
    const held: ServerResponse[] = [];
    respond = (response) => void held.push(response);
    const stop = new AbortController();
    const headers = { authorization: reader };
    const url = `${service.server.url}/v1/stats/alerts`;
    const left = Array.from({ length: MOST_RUNNING }, () =>
      fetch(url, { headers, signal: stop.signal }).catch(() => {}),
    );
    await expect.poll(() => held.length).toBe(MOST_RUNNING);
    const refused = await get('/v1/stats/alerts');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    const closed = held.map((response) => once(response, 'close'));
    stop.abort();
    await Promise.all([...left, ...closed]);
    respond = json(200, ANSWER);
    await expect.poll(async () => (await get('/v1/stats/alerts')).status).toBe(200);
  });

  it('requires index_read and no tenant', async () => {
    const headers = { authorization: await service.token({ roles: ['reader'], tenant: 'a' }) };
    expect((await get('/v1/stats/alerts', headers)).status).toBe(403);
    expect((await get('/v1/stats/alerts', { authorization: '' })).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it('passes on refusals of the query, as the server words them', async () => {
    respond = json(400, { status: 'error', error: 'parse error' });
    const response = await get('/v1/stats/query?query=(');
    expect([response.status, await response.json()]).toEqual([
      400,
      { status: 'error', error: 'parse error' },
    ]);
  });

  it.each<[string, () => void]>([
    [
      'redirects',
      () => {
        respond = json(302, {}, { location: 'http://169.254.169.254/latest/meta-data' });
      },
    ],
    [
      'fails',
      () => {
        respond = json(500, { secret: 'stack' });
      },
    ],
    [
      'requires credentials',
      () => {
        respond = json(401, { secret: 'realm' });
      },
    ],
    [
      'answers with a page',
      () => {
        respond = json(200, 'page', { 'content-type': 'text/html' });
      },
    ],
    [
      'answers with too much',
      () => {
        respond = json(200, 'a'.repeat(9 * 2 ** 20));
      },
    ],
    [
      'closes the connection',
      () => {
        respond = (response) => void response.destroy();
      },
    ],
  ])('answers 503 if the server %s', async (_, prepare) => {
    prepare();
    const response = await get('/v1/stats/query?query=up');
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.code]).toEqual([503, 'unreachable']);
    expect(text).not.toMatch(/stack|realm|meta-data/);
    expect(seen).toHaveLength(1);
  });
});

const PROMETHEUS = process.env.LHS_PROMETHEUS;

describe.skipIf(PROMETHEUS === undefined)('a Prometheus server', () => {
  it('scrapes /metrics, and answers behind the proxy', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-prometheus-'));
    const port = await unusedPort();
    const values = { 'metrics.server': `http://127.0.0.1:${port}`, 'metrics.public': true };
    const own = await startService({ values });
    const config = join(folder, 'prometheus.yml');
    const target = new URL(own.server.url).host;
    const job = { job_name: 'lhs', static_configs: [{ targets: [target] }] };
    const scrape = { global: { scrape_interval: '1s' }, scrape_configs: [job] };
    writeFileSync(config, JSON.stringify(scrape));
    const listen = `--web.listen-address=127.0.0.1:${port}`;
    const args = [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, listen];
    const child = spawn(PROMETHEUS as string, args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      const authorization = await own.token({ roles: ['reader'] });
      const metric = async (query: string) => {
        const path = `/v1/stats/query?query=${encodeURIComponent(query)}`;
        const response = await fetch(`${own.server.url}${path}`, { headers: { authorization } });
        const { data } = (await response.json()) as { data?: { result: { value: string[] }[] } };
        return Number(data?.result[0]?.value[1]);
      };
      await expect.poll(() => metric('up{job="lhs"}')).toBe(1);
      const calls = 'lhs_running_calls{job="lhs"}';
      await expect.poll(() => metric(calls)).toBeGreaterThanOrEqual(0);
      const alerts = await fetch(`${own.server.url}/v1/stats/alerts`, {
        headers: { authorization },
      });
      expect(await alerts.json()).toEqual({ status: 'success', data: { alerts: [] } });
    } finally {
      child.kill();
      await ended;
      await own.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
