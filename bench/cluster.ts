/**
 * What shards and nodes cost.
 *
 * (c) Selective queries (two words that both occur, a page of 10) over git.commits: median of 4
 *     shards in one process against 1 shard; target 1.2 of it. Then 3 shards on 3 nodes, each a
 *     process, through a gateway in this process, against 3 shards in this process.
 * (d) 20 snapshots of 5,000 rows through the connector of a control plane to 2 nodes, against
 *     `lhs index sync` of one process; target 0.6 of its rows per second.
 * (e) Processor time of a search (any of several words, each page once) of 4 shards in a store,
 *     through a gateway over 4, 3 and one node. Targets: 2.0 ms over 4 nodes, of which a node 0.25;
 *     one node takes 2.2 times what each of 3 does.
 * (f) The same searches over 3 nodes, one of which is stopped, then another killed: p99, partial
 *     answers and hedged reads; targets 2 times the undisturbed p99, no partial answer. Then
 *     simulated searches of 1,000 shards with the times of (f), by the rule of the gateway.
 * (g) A node with an empty disk over the index LHS_BENCH_INDEX that is published in
 *     LHS_BENCH_STORE: from its start to the first answer; target 2 s.
 * (h) 4 to 1 to 3 to 2 to 7 shards of a searched index over 3 nodes; target 5 s each, and answers
 *     with the same keys, scores and totals. How long snapshots wait: reshard.ts.
 *
 *   node bench/cluster.ts [c|d|e|f|g|h] [rounds, default 3]
 *
 * LHS_BENCH_TABLE names another table of the same fields for (c), (e), (f) and (h),
 * LHS_BENCH_SEARCHES the number of searches.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { openCluster, openStore } from '@lakehouse-search/server';
import { costOfSearches, emptyDisk, reshards, simulate, slowNodes } from './cluster-store.ts';
import {
  commitQueries,
  commitsDefinition,
  machine,
  median,
  need,
  SHARED,
  workFolder,
} from './shared.ts';
import { snapshotsTable } from './snapshots-table.ts';
import { end, FREE, KEY, pause, serve } from './stored-cluster.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const [part = 'cdefgh'] = process.argv.slice(2);
const rounds = Number(process.argv[3] ?? 3);
const folder = workFolder();
process.env.LHS_COLD_CACHE_DIR = join(folder, 'cache');

/** Median milliseconds per query of each backend, in turns. */
async function medians(
  backends: readonly BackendApi[],
  requests: readonly { readonly index: string; readonly query: string }[],
): Promise<readonly number[]> {
  const millis = backends.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const request of requests) {
      for (const [at, backend] of backends.entries()) {
        const began = performance.now();
        const { partial } = await backend.search({ ...request, limit: 10 });
        if (partial) throw new Error('a response is partial');
        if (round > 0) millis[at].push(performance.now() - began);
      }
    }
  }
  return millis.map(median);
}

async function shards(): Promise<void> {
  const table =
    process.env.LHS_BENCH_TABLE ?? need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
  const requests = commitQueries()
    .filter(({ length }) => length > 1)
    .map(([a, b]) => ({ index: 'commits', query: `+text:${a} +text:${b}` }));
  const definition = (count: number) =>
    `${commitsDefinition(table)}sharding: { shards: ${count} }\n`;
  const local: BackendApi[] = [];
  for (const count of [1, 4, 3]) {
    const backend = await openEngine(join(folder, `local-${count}`), { create: true, threads: 0 });
    await backend.createIndex({ definition: definition(count) });
    await backend.reindex({ index: 'commits' });
    local.push(backend);
  }
  const nodes = await Promise.all(
    [0, 1, 2].map((i) => serve('node', join(folder, `node-${i}`), ...FREE, '--no-sync')),
  );
  const releases: (() => unknown)[] = [];
  const addresses = nodes.map(({ grpc }) => grpc);
  const cluster = await openCluster({ nodes: addresses, key: KEY, takes: [] }, (release) =>
    releases.push(release),
  );
  await cluster.routing.refresh();
  await cluster.backend.createIndex({ definition: definition(3) });
  await cluster.backend.reindex({ index: 'commits' });
  const [one, four, three, remote] = await medians([...local, cluster.backend], requests);
  const shown = (name: string, ms: number, of: string) =>
    console.log(`  ${name.padEnd(28)} p50 ${ms.toFixed(3)} ms   ${of}`);
  console.log(`(c) ${requests.length} queries of two words, ${rounds} rounds (${machine()})`);
  shown('1 shard', one, '');
  shown('4 shards', four, `${(four / one).toFixed(2)} of 1 shard (target 1.2)`);
  shown('3 shards', three, '');
  const more = remote - three;
  shown('3 shards on 3 nodes', remote, `+ ${more.toFixed(3)} ms, ${(remote / three).toFixed(2)} x`);
  for (const release of releases.toReversed()) await release();
  for (const backend of local) await backend.close();
  for (const node of nodes) await end(node);
}

const SNAPSHOTS = 20;
const ROWS = 5000;

async function ingest(): Promise<void> {
  const { path, snapshots } = await snapshotsTable(SNAPSHOTS, ROWS);
  const plain = commitsDefinition(path);
  const rates = { embedded: [] as number[], connector: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.embedded.push(embedded(plain, snapshots[0], `embedded-${round}`));
    const definition = `${plain}sharding: { shards: 2 }\n`;
    rates.connector.push(await connector(definition, snapshots, String(round)));
  }
  const shown = (all: readonly number[]) => Math.round(median(all)).toLocaleString('en-US');
  console.log(`(d) ${SNAPSHOTS} snapshots of ${ROWS} rows, ${rounds} rounds (${machine()})`);
  console.log(`  sync of one process     ${shown(rates.embedded)} rows/s`);
  const ratio = median(rates.connector.map((rate, i) => rate / rates.embedded[i]));
  console.log(`  connector to 2 nodes    ${shown(rates.connector)} rows/s`);
  console.log(`  connector / sync        ${ratio.toFixed(2)} x (target 0.6)`);
}

/** Rows per second of `lhs index sync`. */
function embedded(definition: string, first: string, name: string): number {
  const data = ['--data-dir', join(folder, name), '--json'];
  const file = join(folder, 'commits.yaml');
  writeFileSync(file, definition);
  const lhs = (...args: string[]) =>
    execFileSync(process.execPath, [LHS, 'index', ...args, ...data], { stdio: 'pipe' });
  lhs('create', '-f', file);
  lhs('reindex', 'commits', '--as-of', first);
  const began = performance.now();
  lhs('sync', 'commits');
  return (SNAPSHOTS * ROWS * 1000) / (performance.now() - began);
}

/** Rows per second from the start of a connector until searches see the newest snapshot. */
async function connector(
  definition: string,
  snapshots: readonly string[],
  round: string,
): Promise<number> {
  const store = join(folder, `plane-${round}`);
  const own = [...FREE, '--rest-addr', '127.0.0.1:0'];
  const idle = await serve('control-plane', store, ...own, '--no-sync');
  const led = ['--control-plane', idle.grpc];
  const nodes = await Promise.all(
    ['n1', 'n2'].map((name) =>
      serve('node', join(folder, `${name}-${round}`), ...FREE, ...led, '--node', name),
    ),
  );
  const gateway = await serve('gateway', join(folder, `gateway-${round}`), ...own, ...led);
  const client = createRemote({ url: gateway.url });
  while ((await client.license({})).nodes_in_use < nodes.length) await pause();
  // definitions of requests name catalogs: the store takes that of a folder
  const opened = await openStore({ file: join(store, 'server.db') });
  await opened.definitions.add('commits', definition);
  await opened.close();
  await client.reindex({ index: 'commits', as_of: snapshots[0] });
  await end(idle);
  const began = performance.now();
  const plane = await serve(
    'control-plane',
    store,
    '--rest-addr',
    '127.0.0.1:0',
    '--addr',
    idle.grpc,
  );
  const head = snapshots.at(-1) as string;
  const request = { index: 'commits', query: 'nothing', limit: 1 };
  while ((await client.search(request)).snapshot !== head) await pause();
  const rate = (SNAPSHOTS * ROWS * 1000) / (performance.now() - began);
  await client.close();
  for (const one of [gateway, ...nodes, plane]) await end(one);
  return rate;
}

try {
  if (part.includes('c')) await shards();
  if (part.includes('d')) await ingest();
  if (part.includes('e')) {
    console.log(`(e) searches of a cluster (${machine()})`);
    await costOfSearches(folder);
  }
  if (part.includes('f')) {
    console.log(`(f) nodes that stop (${machine()})`);
    simulate(await slowNodes(folder));
  }
  if (part.includes('g')) {
    console.log(`(g) an empty disk (${machine()})`);
    await emptyDisk(folder, rounds);
  }
  if (part.includes('h')) {
    console.log(`(h) other numbers of shards (${machine()})`);
    await reshards(folder);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
