// @module-tag campaign
/**
 * Many mixed requests, wrong ones among them, at a server process: 99 % of the requests to `/livez`
 * among them wait for less than 50 ms of work of the server's main thread, nothing is left running,
 * and memory does not grow. `LHS_REQUESTS` sets their number.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { apiTokenText, hashSecret, newApiToken } from '../src/access/api-tokens.ts';
import { serverOptions } from '../src/serve/server-options.ts';
import { openStore } from '../src/store/open-store.ts';
import { exportedLake } from './support/exported-lake.ts';
import { ProbedServer } from './support/probed-server.ts';

const REQUESTS = Number(process.env.LHS_REQUESTS ?? byEffort(0, 3000));
const WARM_UP = Math.min(10_000, REQUESTS / 10);
const CLIENTS = 16;
const LIVEZ_EVERY = 10;
const LIVEZ_MS = 50;
const GROWTH = 1.15;
const folder = mkdtempSync(join(tmpdir(), 'lhs-hostile-campaign-'));
const data = join(folder, 'data');
const token = newApiToken();
let server: ProbedServer;
beforeAll(async () => {
  const backend = await openEngine(data, { create: true, threads: 0 });
  await exportedLake(backend, data);
  await backend.close();
  await addToken();
  server = await ProbedServer.start({
    ...{ LHS_DATA_DIR: data, LHS_AUTH: 'true', LHS_ADMIN_PASSWORD: 'long-enough' },
    ...{ LHS_SYNC: 'false', LHS_THREADS: '1', LHS_SEARCH_ADAPTER_ENABLED: 'true' },
    ...{ LHS_LOG_LEVEL: 'silent', LHS_LOG_ACCESS: 'false', LHS_LOG_AUDIT: join(folder, 'audit') },
    ...{ LHS_METRICS_PUBLIC: 'true', LHS_LIMITS_CALLS_PER_SECOND: '100000' },
    ...{ LHS_LIMITS_BURST: '100000', LHS_LIMITS_LOGINS_PER_MINUTE: '1000' },
    ...{ LHS_LIMITS_FAILURES_PER_MINUTE: '10000', LHS_LIMITS_RUNNING_PER_CALLER: '1000' },
  });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Adds the token of a reader of one tenant. */
async function addToken(): Promise<void> {
  const store = await openStore(serverOptions({ auth: true }, {}, data).store);
  await store.tokens.add({
    ...{ id: token.id, name: 'test', secretHash: hashSecret(token.secret), roles: ['reader'] },
    ...{ indexes: null, tenant: 'acme', expiresMs: null, createdBy: '', createdMs: 1 },
  });
  await store.close();
}

type Sent = readonly [path: string, body: unknown, authorization?: string | null];

const validated = (definition: string): Sent => ['/v1/definition:validate', { definition }];

/** The request of a number: kinds take turns. A text is sent as it is. */
function requestOf(n: number): Sent {
  const index = 'big';
  const kinds: readonly Sent[] = [
    ['/v1/search', { index, query: `title:row AND n:>${n % 990}`, limit: n % 50 }],
    ['/v1/search', { index, query: '(((', limit: 1 }],
    ['/v1/facets', { index, fields: ['org', 'n'] }],
    ['/v1/pit', { index, keep_alive_ms: 1000 }],
    ['/v1/suggest', { index, field: 'title', text: 'r' }],
    ['/big/_search', { size: 3, query: { match: { title: `row ${n}` } } }],
    ['/big/_search', { size: 0, aggs: { a: { terms: { field: 'org' } } } }],
    ['/big/_search?scroll=1s', { size: 1 }],
    ['/mcp', { jsonrpc: '2.0', id: n, method: 'tools/list' }],
    ['/v1/nothing', {}],
    ['/v1/index:drop', { index }],
    ['/v1/search', { index, query: 'x' }, `Bearer wrong${n}`],
    ['/v1/search', { index, query: 'x' }, null],
    ['/v1/login', { username: 'admin', password: `wrong ${n % 3}` }, null],
    validated(`a: [${'{a: 1},'.repeat(n % 2000)}]`),
    ['/v1/index:export', { index, query: `n:${n % 997}` }],
    ['/v1/search', `{"index":"big","query":${'['.repeat(n % 5000)}`],
    ['/v1/search', { index, query: `title:${'a* OR title:'.repeat(n % 400)}b`, limit: 1 }],
    ['/big/_msearch', `{}\n{"query":{"match_all":{}},"size":2}\n`.repeat(n % 61)],
    ['/v1/search', `{"index":"big","query":"\ud800","n":${n}}`],
    ['/v1/search', { index, ast: { terms: { field: 'n', values: numbers(n % 3000) } } }],
    ['/v1/search', 'x'.repeat(n % 200_000)],
  ];
  return kinds[n % kinds.length]!;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

/** Sends a request and reads its answer, or leaves in the middle of it. */
async function send(n: number): Promise<number> {
  const [path, body, authorization = `ApiKey ${apiTokenText(token)}`] = requestOf(n);
  const stop = new AbortController();
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': path.endsWith('_msearch') ? 'application/x-ndjson' : 'application/json',
      accept: 'application/json, text/event-stream',
      ...(authorization === null ? {} : { authorization }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: stop.signal,
  });
  if (n % 7 === 0) stop.abort();
  else await response.arrayBuffer();
  return response.status;
}

async function running(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^lhs_running_calls (\d+)$/m.exec(text)?.[1]);
}

/** Sends the requests of numbers, and takes the times of `/livez` among them. */
async function campaign(from: number, to: number) {
  const statuses: number[] = [];
  const livez: number[] = [];
  let next = from;
  const client = async () => {
    while (next < to) {
      const n = next++;
      const waits = n % LIVEZ_EVERY === 0 ? server.livezMs() : undefined;
      statuses.push(await send(n));
      if (waits !== undefined) livez.push(await waits);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await expect.poll(running, { timeout: 60_000 }).toBe(0);
  return { statuses, livez, rss: await server.rss() };
}

describe.skipIf(REQUESTS === 0 || !existsSync('/proc/self/schedstat'))('a server', () => {
  it(`answers ${REQUESTS} mixed requests in short turns, and frees what they took`, async () => {
    const half = Math.floor(REQUESTS / 2);
    // Code is loaded and compiled.
    await campaign(0, WARM_UP);
    const first = await campaign(0, half);
    const second = await campaign(half, REQUESTS);
    const livez = [...first.livez, ...second.livez].sort((a, b) => a - b);
    const statuses = [...first.statuses, ...second.statuses];
    const count = (status: number) => statuses.filter((each) => each === status).length;
    const at = (share: number) => livez[Math.floor(livez.length * share)];
    const megabytes = [first.rss, second.rss].map((bytes) => Math.round(bytes / 2 ** 20));
    console.info(
      `${livez.length} probes: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${livez.at(-1)} ms; ` +
        `memory ${megabytes.join(', ')} MiB`,
    );
    expect(statuses.filter((status) => status >= 500 && status !== 501)).toEqual([]);
    expect(count(200)).toBeGreaterThan(REQUESTS / 4);
    expect(count(401)).toBeGreaterThan(0);
    expect(livez.length).toBeGreaterThan(REQUESTS / LIVEZ_EVERY / 2);
    expect(at(0.99)).toBeLessThan(LIVEZ_MS);
    expect(second.rss).toBeLessThan(first.rss * GROWTH);
  });
});
