/**
 * What a gateway costs: `POST /v1/search` for the 300 OR queries of
 * ../shared/data/commits-queries.json, a page of 10, over git.commits (the index of commits.ts;
 * LHS_BENCH_DATA and LHS_BENCH_INDEX name another).
 *
 * (a) Requests per second over 16 connections, against a raw node:http server that answers the same
 *     requests with the same bodies; target 0.4 of it. p99 at half of that load; target 10 ms, and
 *     that of the raw server at the same rate, which is what the clients and the machine add. Once
 *     without a cache, once with the cache of answers that `lhs serve` has. The rate of the engine
 *     alone bounds the one without a cache. Gateway and raw server take turns; figures are medians
 *     over the rounds.
 * (b) is in gateway-latency.ts.
 *
 * Servers run in a process of their own, clients in this one.
 *
 *   node bench/gateway.ts [seconds per measurement] [without | with: the cache; both]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { createGateway, openAccess } from '@lakehouse-search/server';
import { Pool } from 'undici';
import { postSearch } from './http-post.ts';
import { anyOf, commitQueries, commitsIndex, machine, median, percentile } from './shared.ts';

const CONNECTIONS = 16;
const ROUNDS = 3;
const WARM_SECONDS = 0.5;
const { data, index } = commitsIndex();
const requests = commitQueries().map((words) => ({ index, query: anyOf(words), limit: 10 }));
const bodies = requests.map((request) => JSON.stringify(request));

/** Addresses of the servers. */
interface Served {
  readonly rest: string;
  /** REST over an engine with a cache of answers. */
  readonly cached: string;
  readonly echo: string;
  /** Median of the embedded engine, ms. */
  readonly embedded: number;
}

/** The process of the servers. */
async function serve(): Promise<void> {
  const backend = await openEngine(data, { create: true, threads: 0 });
  const answers = new Map<string, string>();
  const millis: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (const request of requests) {
      const started = performance.now();
      const answer = await backend.search(request);
      if (round > 0) millis.push(performance.now() - started);
      answers.set(JSON.stringify(request), JSON.stringify(answer));
    }
  }
  const { rest } = await createGateway({ backend, access: openAccess });
  const caching = await openEngine(data, {
    create: true,
    threads: 0,
    memory: { results: 2 ** 26 },
  });
  const { rest: cached } = await createGateway({ backend: caching, access: openAccess });
  await cached.listen({ port: 0, host: '127.0.0.1' });
  const echo = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end(answers.get(body));
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  await rest.listen({ port: 0, host: '127.0.0.1' });
  const at = (address: unknown) => `http://127.0.0.1:${(address as AddressInfo).port}`;
  const served: Served = {
    rest: at(rest.server.address()),
    cached: at(cached.server.address()),
    echo: at(echo.address()),
    embedded: percentile(millis, 0.5),
  };
  process.on('disconnect', () => process.exit(0));
  process.send!(served);
}

/** Requests per second of as many callers as there are connections. */
async function closedLoop(url: string, seconds: number): Promise<number> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const until = performance.now() + seconds * 1000;
  let done = 0;
  const caller = async (first: number) => {
    for (let at = first; performance.now() < until; at++, done++) {
      await postSearch(pool, bodies[at % bodies.length]);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => caller(i * 17)));
  const rate = done / ((performance.now() - started) / 1000);
  await pool.close();
  return rate;
}

/** Latencies in ms, and how late the clients sent the requests themselves. */
interface OpenLoop {
  readonly millis: readonly number[];
  readonly late: readonly number[];
}

/**
 * Requests that arrive at a rate, whatever the server does. One that is sent late counts from its
 * time. Those of the first half second are not counted: connections are made then. What the clients
 * keep is small: their garbage collection would be part of the latencies.
 */
async function openLoop(url: string, rate: number, seconds: number): Promise<OpenLoop> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const warm = Math.floor(rate * WARM_SECONDS);
  const total = warm + Math.floor(rate * seconds);
  const millis = new Float64Array(total);
  const late = new Float64Array(total);
  const ended = Promise.withResolvers<void>();
  let left = total;
  const call = async (at: number, due: number) => {
    const now = performance.now();
    late[at] = Math.max(0, now - due);
    await postSearch(pool, bodies[at % bodies.length]);
    millis[at] = performance.now() - Math.min(now, due);
    if (--left === 0) ended.resolve();
  };
  const began = performance.now();
  for (let at = 0; at < total; at++) {
    const due = began + (at * 1000) / rate;
    const early = due - performance.now();
    // Timers have whole milliseconds.
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
    call(at, due).catch(ended.reject);
  }
  await ended.promise;
  await pool.close();
  return { millis: [...millis.subarray(warm)], late: [...late.subarray(warm)] };
}

/** Prints requests per second against the raw server, and p99 at half of them. */
async function rates(name: string, url: string, raw: string, seconds: number): Promise<void> {
  for (const each of [url, raw]) await closedLoop(each, WARM_SECONDS);
  const rounds: { rest: number; echo: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const echo = await closedLoop(raw, seconds);
    rounds.push({ echo, rest: await closedLoop(url, seconds) });
  }
  const rest = median(rounds.map((rate) => rate.rest));
  const echo = median(rounds.map((rate) => rate.echo));
  const ratio = median(rounds.map((rate) => rate.rest / rate.echo));
  console.log(`${name} ${rest.toFixed(0)}/s   echo ${echo.toFixed(0)}/s`);
  console.log(`${name} / echo: ${ratio.toFixed(2)} (target 0.40)`);
  const loops: OpenLoop[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const own = await openLoop(url, rest / 2, seconds);
    loops.push([own, await openLoop(raw, rest / 2, seconds)]);
  }
  for (const [i, what] of ['p99 at half load', '  of the echo'].entries()) {
    const each = (values: (loop: OpenLoop) => readonly number[], share: number) =>
      loops.map((loop) => percentile(values(loop[i]), share));
    const p99 = each(({ millis }) => millis, 0.99);
    const middle = (values: readonly number[]) => median(values).toFixed(2);
    const target = i === 0 ? ' (target 10)' : '';
    console.log(`${what}: ${middle(p99)} ms${target}, rounds ${p99.map((ms) => ms.toFixed(1))}`);
    const p50 = middle(each(({ millis }) => millis, 0.5));
    const late = middle(each((loop) => loop.late, 0.99));
    console.log(`    p50 ${p50} ms; the clients sent 1 % later than ${late} ms after the time`);
  }
}

async function measure(seconds: number, caches: string): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['serve']);
  const served = await new Promise<Served>((resolve) => child.once('message', resolve as never));
  console.log(machine());
  console.log(`engine alone, one thread ${(1000 / served.embedded).toFixed(0)}/s`);
  const { rest, cached, echo } = served;
  if (caches !== 'with') await rates('gateway', rest, echo, seconds);
  if (caches !== 'without') await rates('with a cache', cached, echo, seconds);
  child.disconnect();
}

if (process.argv[2] === 'serve') await serve();
else await measure(Number(process.argv[2] ?? 5), process.argv[3] ?? 'both');
