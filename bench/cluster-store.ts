/** The parts of cluster.ts over an index in a store. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { SearchRequest } from '@lakehouse-search/contract';
import { Hedging } from '../packages/server/dist/gateway/hedging.js';
import { anyOf, commitQueries, commitsDefinition, need, percentile, SHARED } from './shared.ts';
import {
  costs,
  end,
  FREE,
  pause,
  type Run,
  runSearches,
  type StoredCluster,
  serve,
  startStored,
} from './stored-cluster.ts';

const SHARDS = 4;
const SEARCHES = Number(process.env.LHS_BENCH_SEARCHES ?? 3000);
const queries = commitQueries()
  .filter(({ length }) => length > 1)
  .map(anyOf);

/** Searches that no cache of answers has: all queries, page by page. */
function* searches(count: number, first = 0, limit = 10): Generator<SearchRequest> {
  for (let i = 0; i < count; i++) {
    const offset = first + limit * Math.floor(i / queries.length);
    yield { index: 'commits', query: queries[i % queries.length], limit, offset };
  }
}

async function start(folder: string, nodeCount: number): Promise<StoredCluster> {
  const store = join(folder, 'store');
  mkdirSync(store, { recursive: true });
  const table =
    process.env.LHS_BENCH_TABLE ?? need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
  const settings = `sharding: { shards: ${SHARDS} }\nstorage: ${store}\nreplicas: 2\n`;
  const definition = `${commitsDefinition(table)}${settings}`;
  const cluster = await startStored(folder, nodeCount, 'commits', definition);
  // all nodes have opened the commit
  await pause(5000);
  await runSearches(cluster.client, searches(SEARCHES, 0, 9));
  return cluster;
}

const shown = (millis: readonly number[]): string =>
  `p50 ${percentile(millis, 0.5).toFixed(2)}, p99 ${percentile(millis, 0.99).toFixed(2)} ms`;

const faults = ({ partial, failed }: Run): string => `${partial} partial, ${failed} failed`;

/** Processor time of a search, over 4 nodes, 3 and one. */
export async function costOfSearches(folder: string): Promise<void> {
  const parts: number[] = [];
  for (const count of [4, 3, 1]) {
    const cluster = await start(join(folder, `cost-${count}`), count);
    const { gateway, nodes, plane, client } = cluster;
    const run = () => runSearches(client, searches(SEARCHES));
    const [ofGateway, ofPlane, ...ofNodes] = await costs([gateway, plane, ...nodes], run);
    await cluster.end();
    const all = [ofGateway, ofPlane, ...ofNodes].reduce((sum, one) => sum + one, 0);
    parts.push(Math.max(...ofNodes));
    const each = ofNodes.map((one) => one.toFixed(2)).join(', ');
    const line = `gateway ${ofGateway.toFixed(2)}, nodes ${each}`;
    console.log(`  ${count} nodes: ${all.toFixed(2)} ms of the processor a search: ${line}`);
  }
  const [, three, one] = parts;
  console.log(`  throughput of 3 nodes over one: ${(one / three).toFixed(2)} x (target 2.2)`);
}

/** Searches while one of three nodes is stopped, and after it was killed. */
export async function slowNodes(folder: string): Promise<readonly number[]> {
  const cluster = await start(join(folder, 'slow'), 3);
  const { client, nodes, gateway } = cluster;
  const calm = await runSearches(client, searches(SEARCHES));
  console.log(`  three nodes: ${shown(calm.millis)}`);
  const [first, second] = nodes;
  const run = runSearches(client, searches(SEARCHES, 1000));
  await pause(200);
  first.child.kill('SIGSTOP');
  const stopped = await run;
  first.child.kill('SIGCONT');
  const hedged = async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return /^lhs_hedged_calls_total (\d+)/m.exec(text)?.[1];
  };
  const ratio = percentile(stopped.millis, 0.99) / percentile(calm.millis, 0.99);
  const of = `${ratio.toFixed(2)} of it (target 2)`;
  console.log(`  one stopped: ${shown(stopped.millis)}, ${of}, ${faults(stopped)}`);
  console.log(`  hedged reads: ${await hedged()} of ${3 * SEARCHES}`);
  await pause(2000);
  const killed = runSearches(client, searches(SEARCHES, 2000));
  await pause(200);
  second.child.kill('SIGKILL');
  const after = await killed;
  console.log(`  one killed: ${shown(after.millis)}, ${faults(after)}`);
  await cluster.end();
  return calm.millis;
}

/** Other numbers of shards of a searched index: how long each takes, and answers that differ. */
export async function reshards(folder: string): Promise<void> {
  const cluster = await start(join(folder, 'reshard'), 3);
  const { client } = cluster;
  const answers = async () => {
    const found: string[] = [];
    for (const request of searches(queries.length)) {
      const { total, hits } = await client.search(request);
      found.push(
        JSON.stringify([total, hits.map(({ coordinates, score }) => [coordinates, score])]),
      );
    }
    return found;
  };
  const before = await answers();
  for (const shards of [1, 3, 2, 7]) {
    const during = answers();
    const began = performance.now();
    const { former_shards } = await client.applyReshard({ index: 'commits', shards });
    const took = (performance.now() - began) / 1000;
    const all = [await during, await answers()];
    const differ = all.flatMap((own) => own.filter((one, i) => one !== before[i])).length;
    const of = `${differ} of ${2 * before.length} answers during and after it differ`;
    console.log(`  ${former_shards} -> ${shards} shards: ${took.toFixed(2)} s (target 5), ${of}`);
  }
  await cluster.end();
}

/** A node with an empty disk over a published index: from its start to the first answer. */
export async function emptyDisk(folder: string, rounds: number): Promise<void> {
  const place = process.env.LHS_BENCH_STORE;
  const index = process.env.LHS_BENCH_INDEX ?? 'commits';
  if (place === undefined) {
    console.log('  skipped: LHS_BENCH_STORE names no place of published indexes');
    return;
  }
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const own = join(folder, `empty-${round}`);
    process.env.LHS_COLD_CACHE_DIR = join(own, 'cache');
    const began = performance.now();
    const node = await serve('node', join(own, 'node'), ...FREE, '--storage', place);
    const nodes = ['--nodes', node.grpc, '--rest-addr', '127.0.0.1:0'];
    const listens = performance.now();
    const gateway = await serve('gateway', join(own, 'gateway'), ...FREE, ...nodes);
    const started = performance.now();
    const client = createRemote({ url: gateway.url, retryMs: 0 });
    const search = () => client.search({ index, query: queries[round], limit: 10 });
    while ((await search().catch(() => undefined)) === undefined) await pause(10);
    // the gateway starts beside nodes elsewhere: its start is no part
    times.push(listens - began + performance.now() - started);
    await client.close();
    await end(gateway);
    await end(node);
  }
  const all = times.map((ms) => `${(ms / 1000).toFixed(2)} s`).join(', ');
  console.log(`  first answer of a node with an empty disk: ${all} (target 2)`);
}

/** Searches of 1,000 shards whose reads take as long as measured ones, with and without hedging. */
export function simulate(millis: readonly number[]): void {
  const shards = 1000;
  const sample = () => millis[Math.floor(Math.random() * millis.length)];
  const hedging = new Hedging();
  const read = () => {
    const late = hedging.begin('simulated');
    const first = sample();
    const took = first > late && hedging.take() ? Math.min(first, late + sample()) : first;
    hedging.answered('simulated', took);
    return took;
  };
  for (const [name, one] of [
    ['without hedging', sample],
    ['with hedging', read],
  ] as const) {
    const all = Array.from({ length: 500 }, () => {
      let slowest = 0;
      for (let shard = 0; shard < shards; shard++) slowest = Math.max(slowest, one());
      return slowest;
    });
    console.log(`  ${shards} shards ${name}: ${shown(all)}`);
  }
}
