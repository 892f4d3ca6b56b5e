/**
 * Many mixed requests, wrong ones among them, at one server: 99 % of the turns of its event loop
 * are short, nothing is left running, and memory does not grow. `LHS_REQUESTS` sets their number.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportedLake } from './support/exported-lake.ts';
import { startService, type TestService } from './support/service.ts';

const REQUESTS = Number(process.env.LHS_REQUESTS ?? 3000);
const CLIENTS = 16;
const TURN_MS = 50;
const GROWTH_BYTES = 400 * 2 ** 20;
let service: TestService;
let token: string;
beforeAll(async () => {
  const values = {
    ...{ threads: 1, 'search_adapter.enabled': true, 'metrics.public': true },
    ...{ 'limits.running_per_caller': 1000 },
  };
  service = await startService({ prepare: exportedLake, values });
  token = await service.token({ roles: ['reader'], tenant: 'acme' });
});
afterAll(() => service?.stop());

type Sent = readonly [path: string, body: unknown, authorization?: string | null];

/** The request of a number: kinds take turns. */
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
    ['/v1/definition:validate', { definition: `a: [${'{a: 1},'.repeat(n % 2000)}]` }],
    ['/v1/index:export', { index, query: `n:${n % 997}` }],
  ];
  return kinds[n % kinds.length]!;
}

/** Sends a request and reads its answer, or leaves in the middle of it. */
async function send(n: number): Promise<number> {
  const [path, body, authorization = token] = requestOf(n);
  const stop = new AbortController();
  const response = await fetch(`${service.server.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(authorization === null ? {} : { authorization }),
    },
    body: JSON.stringify(body),
    signal: stop.signal,
  });
  if (n % 7 === 0) stop.abort();
  else await response.arrayBuffer();
  return response.status;
}

/** Processor time of this thread in each turn of its event loop, in milliseconds, ascending. */
async function turnTimes(isOver: () => boolean): Promise<readonly number[]> {
  const turns: number[] = [];
  while (!isOver()) {
    const before = process.threadCpuUsage();
    await new Promise(setImmediate);
    const { user, system } = process.threadCpuUsage(before);
    turns.push((user + system) / 1000);
  }
  return turns.sort((a, b) => a - b);
}

async function running(): Promise<number> {
  const text = await (await fetch(`${service.server.url}/metrics`)).text();
  return Number(/^lhs_running_calls (\d+)$/m.exec(text)?.[1]);
}

describe('a server', () => {
  it(`answers ${REQUESTS} mixed requests in short turns, and frees what they took`, async () => {
    const statuses = new Map<number, number>();
    let next = 0;
    let settled = 0;
    let isOver = false;
    const client = async () => {
      while (next < REQUESTS) {
        const n = next++;
        const status = await send(n);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // Caches are full after a third of the requests.
        if (n === Math.floor(REQUESTS / 3)) settled = process.memoryUsage().rss;
      }
    };
    const turns = turnTimes(() => isOver);
    await Promise.all(Array.from({ length: CLIENTS }, client)).finally(() => {
      isOver = true;
    });
    const sorted = await turns;
    expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(TURN_MS);
    expect([...statuses.keys()].filter((status) => status >= 500 && status !== 501)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 4);
    expect(statuses.get(401)).toBeGreaterThan(0);
    await expect.poll(running, { timeout: 60_000 }).toBe(0);
    expect(process.memoryUsage().rss - settled).toBeLessThan(GROWTH_BYTES);
  });
});
