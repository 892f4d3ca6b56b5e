/**
 * Whether a search finds the body of a commit by its subject: recall@10 over a sample of commits
 * with a body, by words (lexical), by meaning (the model that ships with lhs, all-MiniLM-L6-v2) and
 * by both. The index is kept in LHS_BENCH_DIR/meaning-quality: building it embeds 10,000 bodies
 * with the transformer, which takes about ten minutes. `--queries=N` sets the number of subjects to
 * search for (default: 2,000).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchResponse } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { commitRows } from './commit-rows.ts';
import { machine, need, SHARED, WORK } from './shared.ts';

const ROWS = 10_000;
const LEAST_BODY = 40;
const TOP = 10;
const asked = /--queries=(\d+)/.exec(process.argv.join(' '))?.[1];
const QUERIES = Number(asked ?? 2000);
const MODEL = need(join(SHARED, 'models/all-MiniLM-L6-v2'), 'the shared folder');
const TABLE = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const folder = join(WORK, 'meaning-quality');

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: ['id', 'subject', 'body'].map((name, i) => {
    return { id: i + 1, name, required: i === 0, type: { kind: 'string' } };
  }),
};
interface Sampled {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
}

/** Commits with a body, the first by the hash of their key. */
async function sample(): Promise<Sampled[]> {
  const all: Sampled[] = [];
  for await (const { repo, sha, subject, body } of commitRows(TABLE)) {
    if (String(body ?? '').length < LEAST_BODY || !subject) continue;
    const id = createHash('md5').update(`${repo}/${sha}`).digest('hex');
    all.push({ id, subject: String(subject), body: String(body) });
  }
  return all.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, ROWS);
}

const rows = await sample();
const made = existsSync(join(folder, 'data', 'registry.db'));
mkdirSync(folder, { recursive: true });
const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
if (!made) {
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  await createTable(catalog, 'a.bodies', { schema: SCHEMA });
  await appendRows(
    { catalog, table: 'a.bodies' },
    { kind: 'rows', rows: rows.map((r) => ({ ...r })) },
  );
  await backend.createIndex({
    definition: `version: 1
index: bodies
source: { catalog: ${JSON.stringify(catalog)}, table: a.bodies }
key: { identifier: [id] }
fields:
  - { name: body, type: TEXT, analyzer: english }
  - { name: static, type: VECTOR, source: body }
  - { name: minilm, type: VECTOR, source: body, dims: 384, model: ${MODEL} }
`,
  });
}
const { status } = await backend.describeIndex({ index: 'bodies' });
if (status !== 'live') console.log(await backend.reindex({ index: 'bodies' }));

const request = { index: 'bodies', limit: TOP, fields: [] };
const words = (query_text: string) =>
  backend.hybrid({ ...request, query_text, vector_field: 'static', weights: { semantic: 0 } });
const near = (vector_field: string) => (query_text: string) =>
  backend.semantic({ ...request, query_text, vector_field, k: TOP });
const both =
  (vector_field: string, k = TOP, rrf_k = 60) =>
  (query_text: string) =>
    backend.hybrid({ ...request, query_text, vector_field, k, rrf_k });

const ways: Record<string, (text: string) => Promise<SearchResponse>> = {
  lexical: words,
  'semantic, static': near('static'),
  'semantic, MiniLM': near('minilm'),
  'hybrid, static': both('static'),
  'hybrid, MiniLM': both('minilm'),
  'hybrid, static, k 100': both('static', 100),
  'hybrid, MiniLM, k 100': both('minilm', 100),
  'hybrid, static, k 100, rrf_k 10': both('static', 100, 10),
  'hybrid, MiniLM, k 100, rrf_k 10': both('minilm', 100, 10),
};
const found = new Map<string, number>();
const chosen = rows.filter((_, i) => i % Math.max(1, Math.floor(ROWS / QUERIES)) === 0);
for (const { id, subject } of chosen) {
  for (const [name, ask] of Object.entries(ways)) {
    const { hits } = await ask(subject);
    const hit = hits.some(({ coordinates }) => coordinates.identifier[0]?.value === id);
    found.set(name, (found.get(name) ?? 0) + (hit ? 1 : 0));
  }
}
await backend.close();

console.log(machine());
console.log(`${ROWS} bodies, ${chosen.length} subjects asked`);
for (const [name, count] of found) {
  console.log(`${name.padEnd(40)} recall@10 ${(count / chosen.length).toFixed(3)}`);
}
