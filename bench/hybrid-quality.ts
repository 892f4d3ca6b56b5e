/**
 * Whether a hybrid search is as good as the better of its arms: nDCG@10 of words, of meaning and of
 * both fused, over three judged sets.
 *
 * - `commits`: the body of a commit by its subject (../shared; one relevant body per subject).
 * - `docs`: a section of this repository's pages by its heading (one relevant section).
 * - `paths`: the message of a commit of this repository by the words of its file names.
 *
 *   node bench/hybrid-quality.ts [queries]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HybridRequest, SearchResponse } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { commitRows } from './commit-rows.ts';
import { machine, SHARED } from './shared.ts';

const TOP = 10;
const QUERIES = Number(process.argv[2] ?? 500);

interface Text {
  readonly id: string;
  readonly text: string;
}
interface Judged {
  readonly query: string;
  readonly relevant: ReadonlySet<string>;
}
interface JudgedSet {
  readonly name: string;
  readonly texts: readonly Text[];
  readonly judged: readonly Judged[];
}

const byHash = <T>(rows: readonly T[], name: (row: T) => string): readonly T[] => {
  const hash = (row: T) => createHash('md5').update(name(row)).digest('hex');
  return rows.toSorted((a, b) => (hash(a) < hash(b) ? -1 : 1));
};

async function commits(): Promise<JudgedSet | null> {
  const table = join(SHARED, 'iceberg/git.commits');
  if (!existsSync(table)) return null;
  const all: { id: string; subject: string; body: string }[] = [];
  for await (const { repo, sha, subject, body } of commitRows(table)) {
    if (String(body ?? '').length < 40 || !subject) continue;
    all.push({ id: `${repo}/${sha}`, subject: String(subject), body: String(body) });
  }
  const rows = byHash(all, ({ id }) => id).slice(0, 20_000);
  const judged = rows.map(({ id, subject }) => ({ query: subject, relevant: new Set([id]) }));
  return { name: 'commits', texts: rows.map(({ id, body }) => ({ id, text: body })), judged };
}

function docs(): JudgedSet {
  const texts: Text[] = [];
  const judged: Judged[] = [];
  for (const file of globSync(['docs/**/*.md', '*.md'])) {
    for (const section of readFileSync(file, 'utf8').split(/^(?=#+ )/m)) {
      const heading = /^#+ (.*)/.exec(section)?.[1];
      const text = section.replace(/^#+ .*/, '').trim();
      if (heading === undefined || heading.split(' ').length < 2 || text.length < 80) continue;
      const id = `${file}#${texts.length}`;
      texts.push({ id, text });
      judged.push({ query: heading, relevant: new Set([id]) });
    }
  }
  return { name: 'docs', texts, judged: byHash(judged, ({ query }) => query) };
}

/** The message of a commit of this repository by the words of its file names. */
function paths(): JudgedSet {
  const log = execFileSync(
    'git',
    ['log', '--no-merges', '--format=%x00%h%x01%B%x01', '--name-only'],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  const texts: Text[] = [];
  const judged: Judged[] = [];
  for (const commit of log.split('\0').slice(1)) {
    const [id, message, files] = commit.split('\x01');
    const names = files.trim().split('\n');
    if (names.length > 8 || message.length < 20) continue;
    const words = names.flatMap((name) => name.split(/[/.-]/)).filter((word) => word.length > 3);
    if (new Set(words).size < 3) continue;
    texts.push({ id, text: message });
    judged.push({ query: [...new Set(words)].join(' '), relevant: new Set([id]) });
  }
  return { name: 'paths', texts, judged: byHash(judged, ({ query }) => query) };
}

/** nDCG@10 of a response; every relevant document counts 1. */
function ndcg({ hits }: SearchResponse, relevant: ReadonlySet<string>): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const found = hits.map(({ coordinates }, rank) =>
    relevant.has(coordinates.identifier[0]?.value ?? '') ? gain(rank) : 0,
  );
  const ideal = Array.from({ length: Math.min(TOP, relevant.size) }, (_, rank) => gain(rank));
  const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
  return sum(found) / sum(ideal);
}

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: ['id', 'text'].map((name, i) => {
    return { id: i + 1, name, required: true, type: { kind: 'string' } };
  }),
};
const weighted = (semantic: number) => ({ lexical: 1 - semantic, semantic });
const WAYS: Readonly<Record<string, Partial<HybridRequest>>> = {
  words: { weights: { semantic: 0 } },
  meaning: { weights: { lexical: 0 } },
  'by default': {},
  'rrf 60, 10 of each': { rrf_k: 60, k: 10 },
  'rrf 60, 100 of each': { rrf_k: 60, k: 100 },
  'rrf 60, 100 of each, 0.3': { rrf_k: 60, k: 100, weights: weighted(0.3) },
  'rrf 10, 100 of each, 0.3': { rrf_k: 10, k: 100, weights: weighted(0.3) },
  ...Object.fromEntries(
    [0.1, 0.2, 0.3, 0.35, 0.4, 0.5].map((w) => [
      `scores, 100 of each, ${w}`,
      { fusion: 'scores' as const, k: 100, weights: weighted(w) },
    ]),
  ),
};

async function measure({ name, texts, judged }: JudgedSet): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-hybrid-'));
  const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  await createTable(catalog, 'a.texts', { schema: SCHEMA });
  const rows = texts.map((row) => ({ ...row }));
  await appendRows({ catalog, table: 'a.texts' }, { kind: 'rows', rows });
  await backend.createIndex({
    definition: `version: 1
index: texts
source: { catalog: ${JSON.stringify(catalog)}, table: a.texts }
key: { identifier: [id] }
fields:
  - { name: text, type: TEXT, analyzer: english }
  - { name: meaning, type: VECTOR, source: text }
`,
  });
  await backend.reindex({ index: 'texts' });
  const asked = judged.slice(0, QUERIES);
  console.log(`${name}: ${texts.length} texts, ${asked.length} queries`);
  for (const [way, part] of Object.entries(WAYS)) {
    let sum = 0;
    for (const { query, relevant } of asked) {
      const request = { index: 'texts', query_text: query, limit: TOP, fields: [], ...part };
      sum += ndcg(await backend.hybrid(request), relevant);
    }
    console.log(`  ${way.padEnd(28)} nDCG@10 ${(sum / asked.length).toFixed(3)}`);
  }
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
}

console.log(machine());
for (const set of [await commits(), docs(), paths()]) if (set !== null) await measure(set);
