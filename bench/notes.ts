/**
 * What the notes of a search cost (`suggest: true`), in processor time inside the engine: each
 * query without and with them.
 *
 *   node bench/notes.ts DATA-DIR INDEX QUERY...
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { machine } from './shared.ts';

const [dataDir, index, ...queries] = process.argv.slice(2);
if (dataDir === undefined || index === undefined)
  throw new Error('name a data folder and an index');
const CALLS = 200;
const backend = await openEngine(dataDir, { threads: 0 });

/** Milliseconds of processor time of a search. */
async function cost(query: string, suggest: boolean): Promise<string> {
  const search = async (calls: number) => {
    for (let i = 0; i < calls; i++) await backend.search({ index, query, suggest, limit: 10 });
  };
  await search(CALLS >> 2);
  const before = process.cpuUsage();
  await search(CALLS);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1000 / CALLS).toFixed(2).padStart(8);
}

console.log(`${machine()}\n${'query'.padEnd(40)}     hits    plain    notes`);
for (const query of queries) {
  const { total } = await backend.search({ index, query, limit: 1 });
  const figures = [await cost(query, false), await cost(query, true)].join(' ');
  console.log(`${query.padEnd(40)} ${String(total).padStart(8)} ${figures}`);
}
await backend.close();
