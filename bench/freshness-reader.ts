/**
 * The search process of bench/freshness.ts: has an index open and, told a word, searches for it
 * again and again until it is found; answers when that was. argv: engine, place.
 */
import { setTimeout } from 'node:timers/promises';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { lancedb, openFts, openLance } from './freshness-peers.ts';
import { clock } from './shared.ts';

/** Between two searches. */
const PAUSE_MS = 2;

/** A search that looks at the newest state: how many hits (at most 10, or the total) a word has. */
type Search = (word: string) => Promise<number>;

const ENGINES: Readonly<Record<string, (place: string) => Promise<Search>>> = {
  async lhs(place) {
    const backend = await openEngine(place, { create: true, threads: 0 });
    return async (word) =>
      (await backend.search({ index: 'commits', query: `text:${word}` })).total ?? 0;
  },
  /** Only what is in the index: without `fastSearch` LanceDB scans what is not in it yet. */
  async lancedb(place) {
    const table = await openLance(lancedb()!, place);
    return async (word) =>
      (
        await table
          .search(word, 'fts', 'text')
          .fastSearch()
          .select(['sha', '_score'])
          .limit(10)
          .toArray()
      ).length;
  },
  async 'lancedb-scan'(place) {
    const table = await openLance(lancedb()!, place);
    return async (word) =>
      (await table.search(word, 'fts', 'text').select(['sha', '_score']).limit(10).toArray())
        .length;
  },
  async fts5(place) {
    const find = openFts(place).prepare(
      'SELECT sha FROM commits WHERE commits MATCH ? ORDER BY rank LIMIT 10',
    );
    return async (word) => find.all(`text:${word}`).length;
  },
};

// Lance warns at every query.
process.env.RUST_LOG = 'error';
const [engine, place] = process.argv.slice(2);
const search = await ENGINES[engine](place);
await search('warm');
process.on('message', async (word: string) => {
  while ((await search(word)) === 0) await setTimeout(PAUSE_MS);
  process.send!(clock());
});
process.send!('ready');
