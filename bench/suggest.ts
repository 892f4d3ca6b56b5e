/**
 * Suggestions over git.commits (the index of commits.ts): what a person types, letter by letter,
 * for each word of ../shared/data/commits-queries.json, and the same words with a typing error;
 * inside the engine and as a caller waits for it. Target: prefixes of the subject field p99 <= 0.2
 * ms inside the engine.
 *
 *   node bench/suggest.ts [rounds]
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SuggestRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { commitQueries, machine, median, need, percentile, WORK } from './shared.ts';

const rounds = Number(process.argv[2] ?? 5);
/** Calls that are counted at least, after a quarter as many that are not. */
const LEAST_CALLS = 1000;
const data = join(WORK, 'lhs-data');
if (!existsSync(join(data, 'registry.db'))) need(data, 'node bench/commits.ts makes it');
const words = [...new Set(commitQueries().flat())];
const backend = await openEngine(data, { create: true, threads: 0 });

type Asked = Omit<SuggestRequest, 'index'>;
/** Each word with its second and third letter swapped. */
const swapped = words.filter((word) => word.length > 3).map((w) => w[0] + w[2] + w[1] + w.slice(3));
const prefixes = (field: string, letters: number): Asked[] => {
  const texts = words.filter((word) => word.length >= letters).map((w) => w.slice(0, letters));
  return [...new Set(texts)].map((text) => ({ field, text }));
};
const near = (field: string, max_edits: number): Asked[] =>
  swapped.map((text) => ({ field, text, fuzzy: true, max_edits }));

async function measure(name: string, requests: readonly Asked[]): Promise<void> {
  const inside: number[] = [];
  const outside: number[] = [];
  const counted = Math.max(rounds, Math.ceil(LEAST_CALLS / requests.length));
  const warm = Math.max(1, counted >> 2);
  for (let round = 0; round < warm + counted; round++) {
    for (const request of requests) {
      const started = performance.now();
      const { took_ms } = await backend.suggest({ index: 'commits', ...request });
      if (round < warm) continue;
      outside.push((performance.now() - started) * 1000);
      inside.push(took_ms * 1000);
    }
  }
  const figures = [median(inside), percentile(inside, 0.99), median(outside)];
  const [p50, p99, wall] = figures.map((us) => us.toFixed(0).padStart(6));
  console.log(`${name.padEnd(34)} ${p50} ${p99}   ${wall}   (${requests.length} texts)`);
}

console.log(machine());
const started = performance.now();
await backend.suggest({ index: 'commits', field: 'subject', text: '' });
console.log(`first suggestion of a process: ${(performance.now() - started).toFixed(0)} ms`);
console.log('µs                                    p50    p99   p50 of the caller');
for (const letters of [0, 1, 2, 3, 4]) {
  await measure(`subject, ${letters} letters`, prefixes('subject', letters));
}
const typed = [0, 1, 2, 3, 4, 5, 6].flatMap((letters) => prefixes('subject', letters));
await measure('subject, 0 to 6 letters', typed);
await measure(
  'text, 0 to 4 letters',
  [0, 1, 2, 3, 4].flatMap((n) => prefixes('text', n)),
);
await measure(
  'author (KEYWORD), 0 to 3 letters',
  [0, 1, 2, 3].flatMap((n) => prefixes('author', n)),
);
await measure('subject, a swap, 1 edit', near('subject', 1));
await measure('subject, a swap, 2 edits', near('subject', 2));
await backend.close();
