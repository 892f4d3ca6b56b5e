/**
 * An index in an object store, opened by its location, beside the same index in its data folder:
 * the first answer with an empty cache; requests, rounds, bytes and times of searches of each kind
 * with an empty cache (also with 63 ms more for each request), with a full one, and in the data
 * folder that publishes (hot); memory; a branch. LHS_BENCH_DATA and LHS_BENCH_INDEX name the index
 * (with the fields of commits.ts), the environment an S3 server. The published copy stays in the
 * work folder for the next run.
 *
 *   node bench/object-home.ts s3://BUCKET/PREFIX [--kind NAME] [--queries 11] [--writes]
 *     [--branch WAREHOUSE/TABLE]
 *
 * `--writes`: a reindex of git.commits and syncs of 1,000 rows instead, with and without a store.
 * `--branch`: the table of the index, a branch of which gets a hundredth more rows; a branch of the
 * index follows it.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, setTableRef } from '@lakehouse-search/lake';
import { evictColdBytes } from '../packages/engine/dist/storage/cold-cache.js';
import { coldFigures } from '../packages/engine/dist/storage/cold-file.js';
import { copyData } from './copy-data.ts';
import { startProxy } from './delaying-proxy.ts';
import {
  commitQueries,
  commitsDefinition,
  commitsIndex,
  copyCommits,
  machine,
  measureLhs,
  median,
  newCommits,
  WORK,
  workFolder,
} from './shared.ts';

const DELAY_MS = 63;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string' },
    queries: { type: 'string', default: '11' },
    writes: { type: 'boolean' },
    branch: { type: 'string' },
  },
});
const [place] = positionals;
const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
if (place === undefined || endpoint === undefined) throw new Error('expected s3://… and a server');
const QUERIES = Number(values.queries);
const { data, index } = commitsIndex();
const cache = join(WORK, 'home-cache');
process.env.LHS_COLD_CACHE_DIR = cache;
const proxy = await startProxy(endpoint);
process.env.AWS_ENDPOINT_URL_S3 = proxy.url;
const location = `${place}/${index}`;
const published = join(WORK, `published-${index}`);

type Engine = Awaited<ReturnType<typeof openEngine>>;
type Search = (engine: Engine) => Promise<unknown>;

const words = commitQueries().filter((query) => query.length > 1 && query[0].length > 3);
const search =
  (query: string, more: object = {}): Search =>
  (engine) =>
    engine.search({ index, query, limit: 10, ...more });
/** A search of each kind with some words. */
const KINDS: Readonly<Record<string, (words: readonly string[], year: number) => Search>> = {
  word: ([word]) => search(word),
  'two words': ([one, two]) => search(`${one} AND ${two}`),
  phrase: ([one, two]) => search(`"${one} ${two}"`),
  prefix: ([word]) => search(`${word.slice(0, 4)}*`),
  fuzzy: ([word]) => search(`${word}~1`),
  range: (_, year) => search(`authored_at:[${year}-01-01 TO ${year}-12-31]`),
  sort: ([word]) => search(word, { sort: [{ field: 'authored_at', desc: true }] }),
  facet: ([word]) => search(word, { facets: { fields: ['repo'] } }),
  collapse: ([word]) => search(word, { collapse: 'repo' }),
};
const nearest = (words: readonly string[]) => ({ index, query_text: words.join(' '), limit: 10 });
/** The same for an index with vectors. */
const MEANINGS: typeof KINDS = {
  meaning: (words) => (engine) => engine.semantic(nearest(words)),
  'meaning, k 10': (words) => (engine) => engine.semantic({ ...nearest(words), k: 10 }),
  hybrid: (words) => (engine) => engine.hybrid(nearest(words)),
};

/** Empties the block cache in memory and on disk; open indexes stay open. */
function empty(): void {
  evictColdBytes(0);
  for (const name of readdirSync(cache)) {
    if (name !== 'opened') rmSync(join(cache, name), { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The median time of searches, each with an empty cache; Infinity: they take too long. */
async function cold(engine: Engine, searches: readonly Search[], delay: number) {
  const times: number[] = [];
  proxy.delay(delay);
  for (const one of searches) {
    empty();
    times.push(await timed(() => one(engine)).catch(() => Number.POSITIVE_INFINITY));
  }
  proxy.delay(0);
  return median(times);
}

/** Rounds, requests and bytes of searches, each with an empty cache. */
async function reads(engine: Engine, searches: readonly Search[]) {
  const figures: Record<'rounds' | 'requests' | 'MB', number>[] = [];
  for (const one of searches) {
    empty();
    const [before, rounds] = [proxy.figures(), coldFigures.rounds];
    await one(engine);
    const { requests, bytes } = proxy.figures();
    figures.push({
      rounds: coldFigures.rounds - rounds,
      requests: requests - before.requests,
      MB: (bytes - before.bytes) / 1e6,
    });
  }
  const most = (of: 'rounds' | 'requests' | 'MB') => Math.max(...figures.map((one) => one[of]));
  const middle = (of: 'requests' | 'MB') => median(figures.map((one) => one[of]));
  return {
    rounds: most('rounds'),
    requests: `${middle('requests')} (${most('requests')})`,
    MB: `${middle('MB').toFixed(2)} (${most('MB').toFixed(2)})`,
  };
}

/** Median of searches with all bytes there, and processor time beside that of the data folder. */
async function warm(engines: readonly [Engine, Engine], searches: readonly Search[]) {
  const times: number[] = [];
  const spent = [[], []] as number[][];
  for (let round = 0; round < 7; round++) {
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const before = process.cpuUsage();
      for (const one of searches) {
        const millis = await timed(() => one(engines[side]));
        if (side === 0 && round > 0) times.push(millis);
      }
      const { user, system } = process.cpuUsage(before);
      if (round > 0) spent[side].push(user + system);
    }
  }
  const ratio = Math.min(...spent[0]) / Math.min(...spent[1]);
  return { 'warm ms': median(times).toFixed(2), 'of local': ratio.toFixed(2) };
}

async function publish(): Promise<void> {
  if (existsSync(published)) return;
  copyData(data, published);
  const engine = await openEngine(published, { threads: 0 });
  const millis = await timed(() => engine.moveIndex({ index, storage: place }));
  await engine.close();
  console.log(`published in ${(millis / 1000).toFixed(1)} s`);
}

/** A command with an empty disk, until it ends. */
function firstAnswer(): void {
  for (const delay of [0, DELAY_MS]) {
    rmSync(cache, { recursive: true, force: true });
    proxy.delay(delay);
    const before = proxy.figures();
    const { seconds, rss } = measureLhs('search', location, words[0][0], '--fields', 'repo');
    const { requests, bytes } = proxy.figures();
    const read = `${requests - before.requests} requests, ${megabytes(bytes - before.bytes)}`;
    console.log(
      `lhs search with an empty disk, ${delay} ms a request: ${seconds.toFixed(2)} s, ${read}, ` +
        `${Math.round(rss)} MB of memory`,
    );
  }
  proxy.delay(0);
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Bytes of this process beside its code: the heap, and arrays outside of it. */
function memory(): number {
  global.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What a reader takes after searches, without the code, which is loaded. */
async function memoryOf(searches: readonly Search[]): Promise<number> {
  const before = memory();
  const engine = await openEngine(location, { threads: 0 });
  for (const one of searches) await one(engine);
  const bytes = memory() - before;
  await engine.close();
  return bytes;
}

/** Adds rows to a branch of the table of the index. */
async function grow(table: string, rows: number): Promise<string> {
  const source = {
    catalog: { type: 'filesystem', warehouse: dirname(table) },
    table: basename(table),
  } as const;
  const to = { kind: 'branch', replace: true } as const;
  const snapshot = await setTableRef(source, 'before', to);
  await appendRows(source, { kind: 'rows', rows: newCommits(Date.now() % 1e8, rows) });
  await setTableRef(source, 'grown', to);
  await setTableRef(source, 'main', { ...to, snapshot });
  return 'grown';
}

async function branch(rows: number): Promise<void> {
  const ref =
    values.branch === undefined ? undefined : await grow(values.branch, Math.ceil(rows / 100));
  const engine = await openEngine(published, { threads: 0 });
  const name = `branch-${Date.now()}`;
  const figures = await cost(async () => {
    await engine.cloneIndex({ index, name, ref });
    await engine.sync({ index: name });
  });
  const { num_docs: docs } = await engine.describeIndex({ index: name });
  const { bytes } = (await engine.usage({ index: name })).objects!;
  console.log(`branch with ${docs - rows} rows more and ${megabytes(bytes)} of its own`, figures);
  await engine.dropIndex({ index: name });
  await engine.close();
}

/** Requests, time and processor time of work. */
async function cost(work: () => Promise<unknown>) {
  const [before, cpu] = [proxy.figures().requests, process.cpuUsage()];
  const seconds = (await timed(work)) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, processor: (user + system) / 1e6, requests: proxy.figures().requests - before };
}

async function writes(): Promise<void> {
  const folder = workFolder();
  const path = copyCommits(folder);
  const definition = commitsDefinition(path);
  const own = { index: 'commits' };
  const sides = { local: '', store: `storage: ${place}/${Date.now()}\n` };
  const engines = await Promise.all(
    Object.entries(sides).map(async ([name, storage]) => {
      const engine = await openEngine(join(folder, name), { create: true, threads: 0 });
      await engine.createIndex({ definition: definition + storage });
      return { name, engine };
    }),
  );
  for (let round = 0; round < 3; round++) {
    for (const { name, engine } of engines) {
      console.log('reindex', name, await cost(() => engine.reindex(own)));
    }
    await appendRows({ path }, { kind: 'rows', rows: newCommits(round, 1000) });
    for (const { name, engine } of engines) {
      console.log('sync', name, await cost(() => engine.sync(own)));
    }
  }
  for (const { engine } of engines) {
    await engine.dropIndex(own);
    await engine.close();
  }
  rmSync(folder, { recursive: true });
}

/** All of the head but `--writes`. */
async function searches(): Promise<void> {
  await publish();
  if (values.kind === undefined) firstAnswer();
  const [here, there, hot] = [
    await openEngine(data, { threads: 0 }),
    await openEngine(location, { threads: 0 }),
    await openEngine(published, { threads: 0 }),
  ] as const;
  const { num_docs: rows, fields } = await here.describeIndex({ index });
  const hasVectors = fields.some(({ type }) => type === 'VECTOR');
  const kinds = { ...KINDS, ...(hasVectors ? MEANINGS : {}) };
  console.log(
    `${rows} rows; objects of ${megabytes((await there.usage({ index })).objects!.bytes)}`,
  );
  const table: Record<string, object> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    if (values.kind !== undefined && name !== values.kind) continue;
    const searches = Array.from({ length: QUERIES }, (_, i) => kind(words[i], 2005 + i));
    for (const one of searches) await one(there);
    table[name] = {
      ...(await reads(there, searches)),
      'cold ms': (await cold(there, searches, 0)).toFixed(0),
      [`+ ${DELAY_MS} ms`]: (await cold(there, searches, DELAY_MS)).toFixed(0),
      ...(await warm([there, here], searches)),
      'hot of local': (await warm([hot, here], searches))['of local'],
    };
    console.log(name, JSON.stringify(table[name]));
  }
  console.table(table);
  await Promise.all([here.close(), there.close(), hot.close()]);
  const bytes = await memoryOf(Object.values(kinds).map((kind) => kind(words[0], 2010)));
  console.log(`heap and arrays of an open reader: ${(bytes / rows).toFixed(2)} bytes a row`);
  if (values.kind === undefined || values.branch !== undefined) await branch(rows);
}

console.log(machine());
await (values.writes ? writes() : searches());
await proxy.close();
