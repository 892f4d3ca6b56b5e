/** The process of bench/freshness.ts that follows the table. argv: data folder, pollMs. */
import { openEngine } from '@lakehouse-search/engine/local/internal';

const [data, pollMs] = process.argv.slice(2);
const backend = await openEngine(data, { create: true, threads: 0 });
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
let ready = false;
const request = { index: 'commits', poll_ms: Number(pollMs) };
for await (const event of backend.follow(request, { signal: stop.signal })) {
  if (process.env.LHS_BENCH_EVENTS) console.log(JSON.stringify(event));
  if (!ready) process.send!('ready');
  ready = true;
}
await backend.close();
process.disconnect();
