/**
 * What highlighting 10 hits adds to a search, over git.commits with subject and body cached: the
 * queries of ../shared/data/commits-queries.json (words and phrases) and some prefixes, typing
 * errors and regexes, each asked with and without in turns; processor time, the quicker quarter of
 * some rounds. Target: <= 2 ms more.
 *
 *   node bench/highlight.ts [rounds]
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { machine, median, need, percentile, SHARED, WORK } from './shared.ts';

const rounds = Number(process.argv[2] ?? 5);
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const queries = need(join(SHARED, 'data/commits-queries.json'), 'the shared folder');
const data = join(WORK, 'lhs-highlight');
const index = 'cached';
const made = existsSync(join(data, 'registry.db'));
mkdirSync(data, { recursive: true });
const backend = await openEngine(data, { create: true, threads: 0 });
if (!made) {
  const definition = `version: 1
index: ${index}
source: { path: ${table} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: subject, type: TEXT, analyzer: simple, cached: true }
  - { name: body, type: TEXT, analyzer: simple, cached: true }
`;
  await backend.createIndex({ definition });
  await backend.reindex({ index });
}
console.log(machine());

const words = (JSON.parse(readFileSync(queries, 'utf8')) as string[][]).slice(0, 100);
const inBoth = (text: string) => `subject:(${text}) OR body:(${text})`;
const KINDS: Readonly<Record<string, readonly string[]>> = {
  words: words.map((list) => inBoth(list.join(' '))),
  phrases: words.filter((list) => list.length > 1).map((list) => inBoth(`"${list.join(' ')}"`)),
  prefixes: words.map(([word]) => inBoth(`${word.slice(0, 4)}*`)),
  'typing errors': words.map(([word]) => inBoth(`${word}~1`)),
  regexes: words.slice(0, 40).map(([word]) => inBoth(`/${word.slice(0, 3)}[a-z]+/`)),
};

/** An answer and the milliseconds of processor time that it took. */
async function spent(request: SearchRequest) {
  const before = process.cpuUsage();
  const { hits } = await backend.search(request);
  const { user, system } = process.cpuUsage(before);
  return { hits, ms: (user + system) / 1000 };
}

console.log('\nms                 without   with p50   p99   added p50   added p99   hits   marks');
for (const [kind, asked] of Object.entries(KINDS)) {
  const [plain, marked, added]: number[][] = [[], [], []];
  let [hits, marks] = [0, 0];
  for (const query of new Set(asked)) {
    const [own, other]: number[][] = [[], []];
    for (let round = 0; round < rounds + 1; round++) {
      const without = await spent({ index, query, limit: 10 });
      const highlight = { fields: ['subject', 'body'] };
      const { ms, hits: found } = await spent({ index, query, limit: 10, highlight });
      if (round === 0) {
        hits += found.length;
        const parts = found.flatMap((hit) => Object.values(hit.highlight ?? {}).flat(2));
        marks += parts.filter(({ marked: is }) => is).length;
      } else {
        own.push(without.ms);
        other.push(ms);
      }
    }
    const [without, withMarks] = [percentile(own, 0.25), percentile(other, 0.25)];
    plain.push(without);
    marked.push(withMarks);
    added.push(withMarks - without);
  }
  const figures = [
    [median(plain), 7],
    [median(marked), 11],
    [percentile(marked, 0.99), 7],
    [median(added), 10],
    [percentile(added, 0.99), 11],
  ].map(([ms, width]) => ms.toFixed(2).padStart(width));
  console.log(`${kind.padEnd(18)} ${figures.join(' ')} ${String(hits).padStart(6)} ${marks}`);
}
await backend.close();
