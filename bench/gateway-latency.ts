/**
 * What a served search takes longer than the embedded call: the 300 OR queries of
 * ../shared/data/commits-queries.json, a page of 10, over git.commits (the index of commits.ts,
 * which is copied; LHS_BENCH_DATA and LHS_BENCH_INDEX name another), one call after another.
 *
 * (b) Median over one connection, against the embedded call; targets: REST + 0.4 ms, gRPC + 0.3 ms.
 *     The server is that of `lhs serve all` with its limits, metrics and access log, without search
 *     threads. The same bodies from bare servers of node:http and node:http2 show what Node takes.
 *
 * All ways take turns, 300 calls each; figures are medians over the rounds. Servers run in a
 * process of their own, clients in this one.
 *
 *   node bench/gateway-latency.ts [rounds] [fresh | cached] [the ways, by commas; all]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import * as http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { NO_CONFIG, serveAll, serverOptions } from '@lakehouse-search/server';
import { Pool } from 'undici';
import { postSearch } from './http-post.ts';
import {
  anyOf,
  commitQueries,
  commitsIndex,
  machine,
  median,
  percentile,
  workFolder,
} from './shared.ts';

const TARGETS: Readonly<Record<string, string>> = { REST: '0.400', gRPC: '0.300' };
const { data, index } = commitsIndex();
const requests = commitQueries().map((words) => ({ index, query: anyOf(words), limit: 10 }));
const bodies = requests.map((request) => JSON.stringify(request));

/** Addresses of the servers. */
interface Served {
  readonly rest: string;
  readonly grpc: string;
  readonly http: string;
  readonly http2: string;
}

/** What one round of a way took: the median of its calls, processor time per call, in ms. */
interface Round {
  readonly p50: number;
  /** The median of what the engine says that it took; null: the answers do not say it. */
  readonly engine: number | null;
  readonly server: number;
  readonly client: number;
}

const cpuMillis = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The process of the servers. */
async function serve(folder: string, results: number): Promise<void> {
  cpSync(data, folder, { recursive: true });
  const values = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', sync: false, threads: 0 };
  const many = { 'limits.calls_per_second': 1_000_000, 'limits.burst': 1_000_000 };
  const options = serverOptions({ ...values, ...many }, {}, folder);
  const memory = { ...options.memory, results };
  const server = await serveAll({ ...NO_CONFIG, options: { ...options, memory }, env: {} });
  const backend = await openEngine(folder, { create: true, threads: 0, memory: { results } });
  const answers = new Map<string, Buffer>();
  for (const [i, request] of requests.entries()) {
    answers.set(bodies[i], Buffer.from(JSON.stringify(await backend.search(request))));
  }
  const bare = { http: await bareHttp(answers), http2: await bareHttp2(answers) };
  process.on('message', async (asked: 'cpu' | 'embedded' | 'end') => {
    if (asked === 'cpu') process.send!(cpuMillis());
    else if (asked === 'embedded') {
      process.send!(
        await roundOf(
          (at) => backend.search(requests[at]),
          async () => 0,
        ),
      );
    } else {
      await backend.close();
      await server.stop();
      process.exit(0);
    }
  });
  process.send!({ rest: server.url, grpc: `grpc://${server.grpc}`, ...bare } satisfies Served);
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server of node:http with ready answers. */
const bareHttp = (answers: ReadonlyMap<string, Buffer>): Promise<string> =>
  listening(
    createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      request.on('end', () => {
        response.setHeader('content-type', 'application/json; charset=utf-8');
        response.end(answers.get(body));
      });
    }),
  );

/** A server of node:http2 with ready answers, and trailers as gRPC has them. */
function bareHttp2(answers: ReadonlyMap<string, Buffer>): Promise<string> {
  const server = http2.createServer();
  server.on('stream', (stream) => {
    let body = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    stream.on('end', () => {
      const headers = { ':status': 200, 'content-type': 'application/grpc' };
      stream.respond(headers, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(answers.get(body));
    });
  });
  return listening(server);
}

/** Calls one after another. */
async function roundOf(
  call: (at: number) => Promise<unknown>,
  serverCpu: () => Promise<number>,
): Promise<Round> {
  const millis: number[] = [];
  const took: number[] = [];
  const server = await serverCpu();
  const client = cpuMillis();
  for (let at = 0; at < requests.length; at++) {
    const started = performance.now();
    const answer = await call(at);
    millis.push(performance.now() - started);
    const { took_ms } = answer as { readonly took_ms?: number };
    if (took_ms !== undefined) took.push(took_ms);
  }
  const used = (cpuMillis() - client) / millis.length;
  const served = ((await serverCpu()) - server) / millis.length;
  const engine = took.length === 0 ? null : median(took);
  return { p50: percentile(millis, 0.5), engine, server: served, client: used };
}

/** The next message of the servers. */
function asked<T>(child: ChildProcess, what: string): Promise<T> {
  const answer = new Promise<T>((resolve) => child.once('message', resolve as never));
  child.send(what);
  return answer;
}

function overHttp2(session: http2.ClientHttp2Session, body: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': '/lhs.v1.Search/Search' });
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => resolve(Buffer.concat(parts))).on('error', reject);
    stream.end(body);
  });
}

type Call = (at: number) => Promise<unknown>;

/** Rounds of all ways in turns, after one to warm up. */
async function roundsOf(child: ChildProcess, ways: Readonly<Record<string, Call>>, count: number) {
  const rounds = new Map<string, Round[]>();
  const cpu = () => asked<number>(child, 'cpu');
  for (let round = -1; round < count; round++) {
    const own = (name: string, of: Round) =>
      round >= 0 && rounds.set(name, [...(rounds.get(name) ?? []), of]);
    own('embedded', await asked<Round>(child, 'embedded'));
    for (const [name, call] of Object.entries(ways)) own(name, await roundOf(call, cpu));
  }
  return rounds;
}

function print(rounds: ReadonlyMap<string, readonly Round[]>): void {
  const middle = (name: string, of: (round: Round, i: number) => number) =>
    median(rounds.get(name)!.map(of)).toFixed(3);
  for (const name of rounds.keys()) {
    const over = middle(name, ({ p50 }, i) => p50 - rounds.get('embedded')![i].p50);
    const target = TARGETS[name] === undefined ? '' : ` (target ${TARGETS[name]})`;
    const cpu = `${middle(name, (r) => r.client)} client, ${middle(name, (r) => r.server)} server`;
    const p50 = middle(name, (r) => r.p50);
    console.log(`${name.padEnd(12)} p50 ${p50} ms, over embedded ${over}${target}; cpu ${cpu}`);
    if (rounds.get(name)![0].engine === null) continue;
    console.log(`${''.padEnd(12)} of which the engine ${middle(name, (r) => r.engine ?? 0)} ms`);
  }
}

async function measure(count: number, kind: string, names: string | undefined): Promise<void> {
  const folder = workFolder();
  const argv = ['serve', join(folder, 'data'), kind === 'cached' ? String(2 ** 26) : '0'];
  // The log of the server goes to standard output.
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  const child = fork(fileURLToPath(import.meta.url), argv, { stdio: [...stdio] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const served = await new Promise<Served>((resolve) => child.once('message', resolve as never));
    const pools = [served.http, served.rest].map((url) => new Pool(url, { connections: 1 }));
    const session = http2.connect(served.http2);
    const rest = createRemote({ url: served.rest });
    const grpc = createRemote({ url: served.grpc });
    const ways: Readonly<Record<string, Call>> = {
      'node:http': (at) => postSearch(pools[0], bodies[at]),
      undici: (at) => postSearch(pools[1], bodies[at]),
      REST: (at) => rest.search(requests[at]),
      'node:http2': (at) => overHttp2(session, bodies[at]),
      gRPC: (at) => grpc.search(requests[at]),
    };
    const chosen = names?.split(',') ?? Object.keys(ways);
    const all = Object.fromEntries(chosen.map((name) => [name, ways[name]]));
    const rounds = await roundsOf(child, all, count);
    console.log(machine());
    console.log(kind === 'cached' ? 'answers from the cache' : 'no cache of answers');
    print(rounds);
    session.close();
    await Promise.all([rest.close(), grpc.close(), ...pools.map((pool) => pool.close())]);
    child.send('end');
    await ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [, , first, second = 'fresh', third] = process.argv;
if (first === 'serve') await serve(second, Number(third));
else await measure(Number(first ?? 7), second, third);
