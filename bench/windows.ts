/**
 * Bench (d): searches of one cold window beside the same window hot. Prints the median time of
 * searches with a warm cache in both tiers, and the bytes that one top-10 term query reads of a
 * window with a cold cache. An index of synthetic texts in one folder, its store in another.
 *
 *   node bench/windows.ts [--rows 200000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../packages/engine/dist/local-backend.js';
import { evictColdBytes } from '../packages/engine/dist/storage/cold-cache.js';
import { appendRows, createTable } from '../packages/lake/dist/index.js';
import { schemaOf } from '../test/support/schema.ts';

const at = process.argv.indexOf('--rows');
const ROWS = at < 0 ? 200_000 : Number(process.argv[at + 1]);
const WORDS = 20_000;
const REPEATS = 200;
const TERMS = ['w3', 'w40', 'w700', 'w9000'];

const folder = mkdtempSync(join(tmpdir(), 'lhs-bench-windows-'));
process.env.LHS_COLD_CACHE_DIR = join(folder, 'cache');
process.env.LHS_COLD_CACHE_BYTES = '0';
const source = {
  catalog: { type: 'filesystem' as const, warehouse: join(folder, 'lake') },
  table: 'b.texts',
};

let state = 1;
/** A number of [0, 1), the same in every run. */
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
/** Words by Zipf's law. */
const text = (words: number): string =>
  Array.from({ length: words }, () => `w${Math.floor(WORDS ** random())}`).join(' ');

async function makeTable(): Promise<void> {
  await createTable(source.catalog, source.table, {
    schema: schemaOf({ id: 'long', body: 'string', at: 'timestamptz' }),
  });
  const piece = 20_000;
  for (let from = 0; from < ROWS; from += piece) {
    const rows = Array.from({ length: Math.min(piece, ROWS - from) }, (_, i) => {
      const id = from + i;
      const day = Math.floor((id / ROWS) * 59);
      return { id, body: text(40), at: new Date(Date.UTC(2025, 0, 1 + day)).toISOString() };
    });
    await appendRows(source, { kind: 'rows', rows });
  }
}

const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
try {
  await makeTable();
  const definition = [
    'version: 1',
    'index: texts',
    `source: { catalog: ${JSON.stringify(source.catalog)}, table: ${source.table} }`,
    'windows: { field: at, every: month }',
    `storage: ${join(folder, 'store')}`,
    'fields:',
    '  - { name: body, type: TEXT, analyzer: simple }',
    '  - { name: at, type: DATE }',
  ].join('\n');
  await backend.createIndex({ definition });
  await backend.reindex({ index: 'texts' });
  const search = (query: string) =>
    backend.search({ index: 'texts', query, filter: 'at:2025-01', limit: 10 });
  const median = async (query: string): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < REPEATS; i++) {
      const started = performance.now();
      await search(query);
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[REPEATS >> 1];
  };
  // The first searches compile code.
  for (const term of TERMS) await median(term);
  const hot = new Map<string, number>();
  for (const term of TERMS) hot.set(term, await median(term));
  const { cooled } = await backend.moveWindows({ index: 'texts', cool: ['2025-01'] });
  const { windows } = await backend.windowStatus({ index: 'texts' });
  const window = windows.find((one) => one.window === cooled[0]);
  if (window === undefined) throw new Error('no window was cooled');
  const local = (100 * (window.local_bytes ?? 0)) / window.bytes;
  console.log(
    `window: ${window.num_docs} rows, ${window.bytes} bytes, ${local.toFixed(1)} % local`,
  );
  for (const term of TERMS) {
    evictColdBytes(0);
    const before = (await backend.windowStatus({ index: 'texts' })).cache.bytes_read;
    const { total } = await search(term);
    const read = (await backend.windowStatus({ index: 'texts' })).cache.bytes_read - before;
    const cold = await median(term);
    const ratio = cold / (hot.get(term) ?? 1);
    const share = ((100 * read) / window.bytes).toFixed(2);
    console.log(
      `${term}: ${total} matches; cold cache: ${read} bytes (${share} % of the window); ` +
        `warm cache: ${cold.toFixed(3)} ms, ${ratio.toFixed(2)} of hot`,
    );
  }
} finally {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
}
