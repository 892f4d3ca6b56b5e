/**
 * Searches by meaning of commits:
 *   d. hybrid beside its arms, warm, through the backend: p50 over the slower arm's (<= 1.3x), over
 *      git.commits with its subjects embedded; and beside LanceDB's hybrid search (full text and
 *      vectors, its own fusion) over the same 50,000 rows and vectors, in turns (>= 4x)
 *   f. one `lhs search --mode semantic` over git.commits: wall (<= 700 ms), processor time, RSS (<=
 *      300 MB)
 *
 *   node bench/meaning.ts [rounds] [--no-lance]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchResponse } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { textsOf } from '../packages/engine/src/embed/embedder.ts';
import { modelFolder, openEmbedder } from '../packages/engine/src/embed/open-embedder.ts';
import { takeRows } from './commit-rows.ts';
import { lancedb } from './freshness-peers.ts';
import { subjectsIndex } from './meaning-index.ts';
import { machine, median, need, percentile, SHARED, workFolder } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const ROUNDS = Number(process.argv[2] ?? 3);
const PEER_ROWS = 50_000;
const K = 100;
const TEXTS = [
  'memory is not released when parsing fails',
  'speed up reading of large files',
  'crash on startup when the config file is missing',
  'documentation of the command line options',
  'time zone of dates is wrong',
  'tests fail on windows',
  'remove code that nobody calls',
  'security hole in password check',
  'connection hangs after a timeout',
  'update translations',
  'add support for ipv6',
  'wrong exit code on error',
  'merge conflicts are shown twice',
  'cache of compiled templates',
  'race condition between threads',
  'unicode in file names',
];

process.env.RUST_LOG ??= 'error';
const data = subjectsIndex();
console.log(machine());
oneShot();
const backend = await openEngine(data, { create: true, threads: 0 });
await arms(backend);
await backend.close();
if (!process.argv.includes('--no-lance')) await besideLance();

/** Asks each text in turn by each way: milliseconds. */
async function timed(
  ways: Record<string, (text: string) => Promise<unknown>>,
  rounds: number,
): Promise<Record<string, number[]>> {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const text of TEXTS) {
      for (const [name, ask] of Object.entries(ways)) {
        const started = performance.now();
        await ask(text);
        if (round >= 0) times[name].push(performance.now() - started);
      }
    }
  }
  return times;
}

function show(times: readonly number[]): string {
  return `p50 ${median(times).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
}

function waysOf(
  backend: LocalEngine,
  index: string,
): Record<string, (text: string) => Promise<SearchResponse>> {
  const request = { index, k: K, limit: 10 };
  return {
    lexical: (query_text) => backend.hybrid({ ...request, query_text, weights: { semantic: 0 } }),
    semantic: (query_text) => backend.semantic({ ...request, query_text }),
    hybrid: (query_text) => backend.hybrid({ ...request, query_text }),
  };
}

async function arms(backend: LocalEngine): Promise<void> {
  const times = await timed(waysOf(backend, 'subjects'), ROUNDS);
  for (const [name, own] of Object.entries(times)) console.log(`d. ${name.padEnd(9)} ${show(own)}`);
  const slower = Math.max(median(times.lexical), median(times.semantic));
  console.log(`   hybrid / slower arm: ${(median(times.hybrid) / slower).toFixed(2)} (<= 1.3)`);
}

function oneShot(): void {
  const args = ['search', 'subjects', TEXTS[0], '--mode', 'semantic', '--json', '--data-dir', data];
  const walls: number[] = [];
  for (let round = -1; round < 9; round++) {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [LHS, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    if (round >= 0) walls.push(performance.now() - started);
  }
  const script = `process.on('exit', () => { const u = process.resourceUsage();
    process.stderr.write('USED ' + u.maxRSS + ' ' + (u.userCPUTime + u.systemCPUTime)); });
    process.argv = [process.argv[0], ...${JSON.stringify([LHS, ...args])}];
await import(${JSON.stringify(LHS)});`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const [, rss, cpu] = /USED (\d+) (\d+)/.exec(stderr) ?? [];
  const least = Math.min(...walls).toFixed(0);
  console.log(
    `f. one-shot  p50 ${median(walls).toFixed(0)} ms wall, least ${least} (<= 700); ` +
      `processor ${(Number(cpu) / 1000).toFixed(0)} ms; RSS ` +
      `${(Number(rss) / 1024).toFixed(0)} MB (<= 300)`,
  );
}

/** Of LanceDB what is used here. */
interface HybridTable {
  createIndex(column: string, options: { config: unknown }): Promise<void>;
  optimize(): Promise<unknown>;
  query(): HybridQuery;
}
interface HybridQuery {
  nearestTo(vector: readonly number[]): HybridQuery;
  fullTextSearch(text: string, options: { columns: string }): HybridQuery;
  rerank(reranker: unknown): HybridQuery;
  select(columns: readonly string[]): HybridQuery;
  limit(rows: number): HybridQuery;
  toArray(): Promise<readonly object[]>;
}

async function besideLance(): Promise<void> {
  const lance = lancedb();
  if (lance === null) return;
  const folder = workFolder();
  try {
    const commits = await takeRows(need(join(SHARED, 'iceberg/git.commits'), 'shared'), PEER_ROWS);
    const rows = commits.map((row, i) => ({ id: String(i), subject: String(row.subject ?? '') }));
    const backend = await ownIndex(folder, rows);
    const embedder = await openEmbedder('default');
    console.log(`   model ${modelFolder('default').split('/').at(-1)}`);
    const vectors = await embedder.embed(textsOf(rows.map(({ subject }) => subject)));
    const table = (await lanceTable(lance, folder, rows, vectors)) as unknown as HybridTable;
    const { rerankers } = lance as unknown as {
      rerankers: { RRFReranker: { create(k: number): Promise<unknown> } };
    };
    const fused = await rerankers.RRFReranker.create(60);
    const times = await timed(
      {
        ...waysOf(backend, 'peer'),
        lance: async (text) => {
          const vector = [...(await embedder.embed(textsOf([text])))];
          const found = await table
            .query()
            .nearestTo(vector)
            .fullTextSearch(text, { columns: 'subject' })
            .rerank(fused)
            .select(['id', 'subject'])
            .limit(K)
            .toArray();
          if (found.length === 0) throw new Error('LanceDB found nothing');
        },
      },
      ROUNDS,
    );
    for (const [name, own] of Object.entries(times)) {
      console.log(`d. ${PEER_ROWS} rows: ${name.padEnd(9)} ${show(own)}`);
    }
    const ratio = median(times.lance) / median(times.hybrid);
    console.log(`   LanceDB's hybrid / ours: ${ratio.toFixed(1)} (>= 4)`);
    await backend.close();
    await embedder.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Subject {
  readonly id: string;
  readonly subject: string;
}

async function ownIndex(folder: string, rows: readonly Subject[]): Promise<LocalEngine> {
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const schema: Schema = {
    schemaId: 0,
    identifierFieldIds: [1],
    fields: ['id', 'subject'].map((name, i) => {
      return { id: i + 1, name, required: i === 0, type: { kind: 'string' } };
    }),
  };
  await createTable(catalog, 'a.subjects', { schema });
  const own = rows.map((row) => ({ ...row }));
  await appendRows({ catalog, table: 'a.subjects' }, { kind: 'rows', rows: own });
  mkdirSync(join(folder, 'data'));
  const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
  await backend.createIndex({
    definition: `version: 1
index: peer
source: { catalog: ${JSON.stringify(catalog)}, table: a.subjects }
fields:
  - { name: subject, type: TEXT, analyzer: english, cached: true }
  - { name: meaning, type: VECTOR, source: subject }
`,
  });
  await backend.reindex({ index: 'peer' });
  return backend;
}

async function lanceTable(
  lance: NonNullable<ReturnType<typeof lancedb>>,
  folder: string,
  rows: readonly Subject[],
  vectors: Float32Array,
) {
  const dims = vectors.length / rows.length;
  const db = await lance.connect(join(folder, 'lance'), { readConsistencyInterval: 0 });
  const all = rows.map((row, i) => ({
    ...row,
    vector: [...vectors.subarray(i * dims, (i + 1) * dims)],
  }));
  const table = await db.createTable('subjects', all);
  const config = { withPosition: false, stem: true, removeStopWords: true, language: 'English' };
  await table.createIndex('subject', { config: lance.Index.fts(config) });
  await table.optimize();
  return table;
}
