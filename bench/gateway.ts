/**
 * What a gateway costs: `POST /v1/search` for the 300 OR queries of
 * ../shared/data/commits-queries.json, a page of 10, over git.commits (the index of commits.ts;
 * LHS_BENCH_DATA and LHS_BENCH_INDEX name another).
 *
 * (a) Requests per second over 16 connections, against a raw node:http server that answers the same
 *     requests with the same bodies; target 0.4 of it. p99 at half of that load; target 10 ms, and
 *     that of the raw server at the same rate, which is what the clients and the machine add. Once
 *     without a cache, once with the cache of answers that `lhs serve` has. The rate of the engine
 *     alone bounds the one without a cache.
 * (b) Median over one connection, against the embedded call; targets: REST + 0.4 ms, gRPC + 0.3 ms.
 *
 * Servers run in a process of their own, clients in this one.
 *
 *   node bench/gateway.ts [seconds per measurement; 0: (b) alone]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerCredentials } from '@grpc/grpc-js';
import { createClient } from '@lakehouse-search/client';
import { openLocal } from '@lakehouse-search/engine';
import { createGateway, openAccess } from '@lakehouse-search/server';
import { Pool } from 'undici';
import { commitsIndex, machine, median, need, percentile, SHARED } from './shared.ts';

const CONNECTIONS = 16;
const { data, index } = commitsIndex();
const file = need(join(SHARED, 'data/commits-queries.json'), 'the shared folder');
const requests = (JSON.parse(readFileSync(file, 'utf8')) as string[][]).map((words) => ({
  index,
  query: `text:(${words.join(' ')})`,
  limit: 10,
}));
const bodies = requests.map((request) => JSON.stringify(request));

/** Addresses of the servers, and the embedded engine's medians. */
interface Served {
  readonly rest: string;
  /** REST over an engine with a cache of answers. */
  readonly cached: string;
  readonly grpc: string;
  readonly echo: string;
  readonly embedded: number;
  /** Processor time of an embedded call, ms. */
  readonly embeddedCpu: number;
}

/** The process of the servers. */
async function serve(): Promise<void> {
  const backend = await openLocal(data);
  const answers = new Map<string, string>();
  const millis: number[] = [];
  let cpu = process.cpuUsage();
  for (let round = 0; round < 4; round++) {
    if (round === 1) cpu = process.cpuUsage();
    for (const request of requests) {
      const started = performance.now();
      const answer = await backend.search(request);
      if (round > 0) millis.push(performance.now() - started);
      answers.set(JSON.stringify(request), JSON.stringify(answer));
    }
  }
  const used = process.cpuUsage(cpu);
  const { rest, grpc } = await createGateway({ backend, access: openAccess });
  const caching = await openLocal(data, { memory: { results: 2 ** 26 } });
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
  const bound = Promise.withResolvers<number>();
  const credentials = ServerCredentials.createInsecure();
  grpc.bindAsync('127.0.0.1:0', credentials, (error, port) =>
    error === null ? bound.resolve(port) : bound.reject(error),
  );
  const at = (address: unknown) => `http://127.0.0.1:${(address as AddressInfo).port}`;
  const served: Served = {
    rest: at(rest.server.address()),
    cached: at(cached.server.address()),
    echo: at(echo.address()),
    grpc: `grpc://127.0.0.1:${await bound.promise}`,
    embedded: percentile(millis, 0.5),
    embeddedCpu: (used.user + used.system) / 1000 / millis.length,
  };
  process.on('message', () => process.send!(process.cpuUsage()));
  process.on('disconnect', () => process.exit(0));
  process.send!(served);
}

const headers = { 'content-type': 'application/json' };

async function post(pool: Pool, body: string): Promise<void> {
  const request = { path: '/v1/search', method: 'POST', headers, body } as const;
  const response = await pool.request(request);
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(text);
}

/** Requests per second of as many callers as there are connections. */
async function closedLoop(url: string, seconds: number): Promise<number> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const until = performance.now() + seconds * 1000;
  let done = 0;
  const caller = async (first: number) => {
    for (let at = first; performance.now() < until; at++, done++) {
      await post(pool, bodies[at % bodies.length]);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => caller(i * 17)));
  const rate = done / ((performance.now() - started) / 1000);
  await pool.close();
  return rate;
}

/**
 * Latencies in ms of requests that arrive at a rate, whatever the server does. What the clients
 * keep is small: their garbage collection would be part of the latencies.
 */
async function openLoop(url: string, rate: number, seconds: number): Promise<number[]> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const total = Math.floor(rate * seconds);
  const millis = new Float64Array(total);
  const ended = Promise.withResolvers<void>();
  let left = total;
  const call = async (at: number, due: number) => {
    await post(pool, bodies[at % bodies.length]);
    millis[at] = performance.now() - due;
    if (--left === 0) ended.resolve();
  };
  const began = performance.now();
  for (let at = 0; at < total; at++) {
    const due = began + (at * 1000) / rate;
    const early = due - performance.now();
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
    call(at, due).catch(ended.reject);
  }
  await ended.promise;
  await pool.close();
  return [...millis];
}

/** Processor time of the servers so far, ms. */
async function cpuOf(child: ChildProcess): Promise<number> {
  const answer = new Promise<NodeJS.CpuUsage>((resolve) => child.once('message', resolve as never));
  child.send('cpu');
  const { user, system } = await answer;
  return (user + system) / 1000;
}

/** Of one caller: median, and processor time of the servers per call, ms. */
async function alone(child: ChildProcess, call: (at: number) => Promise<unknown>) {
  const millis: number[] = [];
  let began = 0;
  for (let round = 0; round < 4; round++) {
    if (round === 1) began = await cpuOf(child);
    for (let at = 0; at < requests.length; at++) {
      const started = performance.now();
      await call(at);
      if (round > 0) millis.push(performance.now() - started);
    }
  }
  const cpu = ((await cpuOf(child)) - began) / millis.length;
  return { p50: percentile(millis, 0.5), cpu };
}

/** Prints requests per second against the raw server, and p99 at half of them. */
async function rates(name: string, url: string, raw: string, seconds: number): Promise<void> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  for (const body of bodies) await post(pool, body);
  await pool.close();
  const rounds: { rest: number; echo: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const echo = await closedLoop(raw, seconds);
    rounds.push({ echo, rest: await closedLoop(url, seconds) });
  }
  const rest = median(rounds.map((rate) => rate.rest));
  const echo = median(rounds.map((rate) => rate.echo));
  const ratio = median(rounds.map((rate) => rate.rest / rate.echo));
  console.log(`${name} ${rest.toFixed(0)}/s   echo ${echo.toFixed(0)}/s`);
  console.log(`${name} / echo: ${ratio.toFixed(2)} (target 0.40)`);
  const late = async (of: string) => {
    const latencies = await openLoop(of, rest / 2, seconds);
    return percentile(latencies, 0.99).toFixed(2);
  };
  const [own, floor] = [await late(url), await late(raw)];
  console.log(`p99 at half load: ${own} ms (target 10), of the echo ${floor} ms`);
}

async function measure(): Promise<void> {
  const seconds = Number(process.argv[2] ?? 5);
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['serve']);
  const served = await new Promise<Served>((resolve) => child.once('message', resolve as never));
  console.log(machine());
  if (seconds > 0) {
    console.log(`engine alone, one thread ${(1000 / served.embedded).toFixed(0)}/s`);
    await rates('gateway', served.rest, served.echo, seconds);
    await rates('with a cache', served.cached, served.echo, seconds);
  }
  const pool = new Pool(served.rest, { connections: 1 });
  const overRest = await alone(child, (at) => post(pool, bodies[at]));
  await pool.close();
  const client = createClient({ url: served.grpc });
  const overGrpc = await alone(child, (at) => client.search(requests[at]));
  await client.close();
  const embedded = { p50: served.embedded, cpu: served.embeddedCpu };
  const line = (name: string, { p50, cpu }: typeof embedded, target: string) => {
    const over = `over embedded ${(p50 - embedded.p50).toFixed(3)} ms ${target}`;
    const cpuOver = (cpu - embedded.cpu).toFixed(3);
    console.log(`${name.padEnd(8)} p50 ${p50.toFixed(3)} ms   ${over}`);
    console.log(`${''.padEnd(8)} cpu ${cpu.toFixed(3)} ms   over embedded ${cpuOver} ms`);
  };
  line('embedded', embedded, '');
  line('REST', overRest, '(target 0.400)');
  line('gRPC', overGrpc, '(target 0.300)');
  child.disconnect();
}

if (process.argv[2] === 'serve') await serve();
else await measure();
