/**
 * `lhs serve all` as a process of its own beyond its capacity, and what its cache saves: the 300 OR
 * queries of ../shared/data/commits-queries.json, a page of 10, over git.commits (the index of
 * commits.ts, which is copied; LHS_BENCH_DATA and LHS_BENCH_INDEX name another).
 *
 * (e) 1,000 clients, open loop at 1.5 of the capacity: answers by status (200 and 429 alone),
 *     memory, and the seconds until the median is again at most twice that before; target 5.
 * (f) One author with about 1 % of the rows as tenant, against all rows, in the embedded engine:
 *     processor time per call; target 1.2 of it.
 * (g) A repeated query from the cache of answers, against a query with another page size:
 *     processor time of the server per call, the second and the third time, and median of the
 *     engine; target 0.3 of it.
 *
 *   node bench/gateway-load.ts [seconds of (e)]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { Pool } from 'undici';
import {
  anyOf,
  commitQueries,
  commitsIndex,
  machine,
  median,
  need,
  SHARED,
  workFolder,
} from './shared.ts';

const CLIENTS = 1000;
const OVERLOAD = 1.5;
const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const { data, index } = commitsIndex();
const queries = commitQueries().map(anyOf);
const bodyOf = (at: number, limit: number): string =>
  JSON.stringify({ index, query: queries[at % queries.length], limit });
/** A request that no cache has answered: a word that no document has makes it another one. */
let requests = 0;
const freshBody = (): string => {
  const at = requests++;
  return JSON.stringify({ index, query: `${queries[at % queries.length]} OR zz${at}`, limit: 10 });
};
const headers = { 'content-type': 'application/json' };

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Starts `lhs serve all` over a folder. Limits by rate are off: capacity is the limit. */
async function serve(folder: string): Promise<Server> {
  const many = '1000000';
  const flags = ['--no-sync', '--json', '--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0'];
  const child = spawn(process.execPath, [LHS, 'serve', 'all', '--data-dir', folder, ...flags], {
    env: {
      ...process.env,
      LHS_LIMITS_CALLS_PER_SECOND: many,
      LHS_LIMITS_BURST: many,
      LHS_LOG_ACCESS: 'false',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  for await (const part of child.stdout) {
    printed += part;
    const [line] = /^\{"url":.*\}$/m.exec(printed) ?? [];
    if (line !== undefined) return { url: (JSON.parse(line) as Server).url, child };
  }
  throw new Error(`the server ended: ${printed}`);
}

/** A figure of `/metrics`. */
async function figure({ url }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function post(pool: Pool, body: string): Promise<{ status: number; text: string }> {
  const call = { path: '/v1/search', method: 'POST', headers, body } as const;
  const { statusCode: status, body: answer } = await pool.request(call);
  return { status, text: await answer.text() };
}

/** Median in ms of a few calls, one after another, that no cache answers. */
async function quiet(pool: Pool): Promise<number> {
  const millis: number[] = [];
  for (let call = 0; call < 20; call++) {
    const began = performance.now();
    await post(pool, freshBody());
    millis.push(performance.now() - began);
  }
  return median(millis);
}

/** Calls per second of 16 callers without a cached answer. */
async function capacity(pool: Pool, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let done = 0;
  const caller = async () => {
    while (performance.now() < until) {
      await post(pool, freshBody());
      done++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return done / seconds;
}

async function overload(server: Server, seconds: number): Promise<void> {
  const pool = new Pool(server.url, { connections: CLIENTS, headersTimeout: 120_000 });
  const before = await quiet(pool);
  const able = await capacity(pool, 5);
  const rate = able * OVERLOAD;
  const statuses = new Map<number | string, number>();
  const ended = Promise.withResolvers<void>();
  const total = Math.floor(rate * seconds);
  let left = total;
  const began = performance.now();
  for (let at = 0; at < total; at++) {
    const early = began + (at * 1000) / rate - performance.now();
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
    void post(pool, freshBody())
      .then(
        ({ status }) => status,
        (error: Error) => error.message,
      )
      .then((end) => {
        statuses.set(end, (statuses.get(end) ?? 0) + 1);
        if (--left === 0) ended.resolve();
      });
  }
  const memory = figure(server, 'process_resident_memory_bytes');
  const sentAll = performance.now();
  await ended.promise;
  while ((await quiet(pool)) > 2 * before) await new Promise((resolve) => setTimeout(resolve, 100));
  const recovery = (performance.now() - sentAll) / 1000;
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
  console.log(`(e) capacity ${able.toFixed(0)}/s, sent ${rate.toFixed(0)}/s for ${seconds} s`);
  console.log(`    ${counts}; memory ${((await memory) / 2 ** 20).toFixed(0)} MiB`);
  console.log(`    as before after ${recovery.toFixed(1)} s (target 5)`);
  await pool.close();
}

/** Processor time per call in ms, and the median time of the engine. */
async function pass(server: Server, pool: Pool, limit: number) {
  const cpu = await figure(server, 'process_cpu_seconds_total');
  const took: number[] = [];
  for (let at = 0; at < queries.length; at++) {
    const { text } = await post(pool, bodyOf(at, limit));
    took.push((JSON.parse(text) as { took_ms: number }).took_ms);
  }
  const used = (await figure(server, 'process_cpu_seconds_total')) - cpu;
  return { cpu: (used * 1000) / queries.length, took: median(took) };
}

async function repeated(server: Server): Promise<void> {
  const pool = new Pool(server.url, { connections: 1 });
  await pass(server, pool, 10);
  const ratios: { cpu: number; later: number; took: number }[] = [];
  for (let round = 1; round <= 5; round++) {
    const limit = 10 + (round % 2 === 0 ? round : -round);
    const first = await pass(server, pool, limit);
    const again = await pass(server, pool, limit);
    const later = await pass(server, pool, limit);
    const [cpu, took] = [again.cpu / first.cpu, again.took / first.took];
    ratios.push({ cpu, later: later.cpu / first.cpu, took });
  }
  const hits = await figure(server, 'lhs_result_cache_hits_total');
  const [cpu, took] = [median(ratios.map((r) => r.cpu)), median(ratios.map((r) => r.took))];
  const later = median(ratios.map((r) => r.later));
  console.log(`(g) repeated / first: processor ${cpu.toFixed(2)}, engine ${took.toFixed(2)}`);
  console.log(`    a third time: processor ${later.toFixed(2)}`);
  console.log(`    (target 0.30), ${hits} answers from the cache`);
  await pool.close();
}

/** The same rows with authors as tenants. */
async function tenants(folder: string): Promise<void> {
  const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
  const engine = await openEngine(folder, { create: true, threads: 0 });
  await engine.createIndex({
    definition: `version: 1
index: tenants
source: { path: ${table} }
key: { partition: [repo], identifier: [sha] }
tenant_field: author
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: author, type: KEYWORD, fast: true }
`,
  });
  const { doc_count: rows } = await engine.reindex({ index: 'tenants' });
  const wanted = rows / 100;
  const facets = await engine.facets({ index: 'tenants', fields: ['author'], size: 100 });
  const buckets = facets.facets[0].buckets.toSorted(
    (a, b) => Math.abs(a.count - wanted) - Math.abs(b.count - wanted),
  );
  const [{ value: tenant, count }] = buckets;
  const principal = { subject: 'bench', scopes: ['search'], tenant } as const;
  const all = async (call: object) => {
    const cpu = process.cpuUsage();
    for (const query of queries) await engine.search({ index: 'tenants', query }, call);
    const { user, system } = process.cpuUsage(cpu);
    return user + system;
  };
  const ratios: number[] = [];
  await all({});
  await all({ principal });
  for (let round = 0; round < 7; round++) ratios.push((await all({ principal })) / (await all({})));
  const share = ((100 * count) / rows).toFixed(2);
  console.log(`(f) a tenant with ${share} % of the rows / all rows: ${median(ratios).toFixed(2)}`);
  console.log('    processor time per call (target 1.20)');
  await engine.close();
}

const folder = workFolder();
try {
  console.log(machine());
  cpSync(data, join(folder, 'data'), { recursive: true });
  const server = await serve(join(folder, 'data'));
  await repeated(server);
  await overload(server, Number(process.argv[2] ?? 15));
  server.child.kill('SIGTERM');
  await tenants(join(folder, 'tenants'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
