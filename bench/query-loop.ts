/**
 * The search process of bench/search-while-syncing.ts: asks the queries of
 * ../shared/data/commits-queries.json one after another without a pause until it is told to stop,
 * then answers the time of each. argv: data folder, queries.
 */
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openEngine } from '@lakehouse-search/engine/local/internal';

const [data, file] = process.argv.slice(2);
const queries = (JSON.parse(readFileSync(file, 'utf8')) as string[][]).map((words) =>
  words.join(' '),
);
const backend = await openEngine(data, { create: true, threads: 0 });
for (const query of queries) await backend.search({ index: 'commits', query });

let asking = false;
async function loop(): Promise<void> {
  const times: number[] = [];
  let snapshots = 0;
  let last: unknown = null;
  asking = true;
  for (let i = 0; asking; i++) {
    const started = performance.now();
    const answer = await backend.search({ index: 'commits', query: queries[i % queries.length] });
    times.push(performance.now() - started);
    if (answer.snapshot !== last) snapshots++;
    last = answer.snapshot;
    // Lets the message in that ends the loop.
    if (i % 16 === 0) await setImmediate();
  }
  process.send!({ times, snapshots });
}
process.on('message', (what: 'start' | 'stop') => {
  if (what === 'start') void loop();
  else asking = false;
});
process.send!('ready');
