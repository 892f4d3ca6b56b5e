/** Searches with threads and ends without closing the engine: node search-and-end.ts DATA. */
import { openEngine } from '@lakehouse-search/engine/local/internal';

const backend = await openEngine(process.argv[2]!, {
  create: true,
  threads: 2,
  freshnessMs: 3_600_000,
});
const answers = await Promise.all(
  ['alpha', 'beta', 'gamma'].map((word) => backend.search({ index: 't3', query: `title:${word}` })),
);
console.log(`total ${answers[0]!.total}`);
