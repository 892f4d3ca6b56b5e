/**
 * A collection beside SQLite's FTS5 (better-sqlite3, WAL, synchronous=FULL), the same rows: upserts
 * in batches, one by one and concurrently, each durable and searchable when it returns; searches.
 *
 *   node bench/collection.ts [rows, default 20000]
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openCollection, text } from '@lakehouse-search/engine/collection';
import Database from 'better-sqlite3';
import { seededBelow } from '../test/support/random.ts';
import { machine, median, workFolder } from './shared.ts';

const ROWS = Number(process.argv[2] ?? 20_000);
const BATCH = 1000;
const SINGLE = 50;
const CONCURRENT = 1000;
const SEARCHES = 300;

interface Note {
  readonly id: string;
  readonly title: string;
}

const below = seededBelow(1);
const word = () => `w${Math.floor(below(1 << 20) ** 2 / 2 ** 30)}`;
const note = (n: number): Note => ({
  id: `n${n}`,
  title: Array.from({ length: 20 }, word).join(' '),
});
const notes = Array.from({ length: ROWS + SINGLE + CONCURRENT }, (_, n) => note(n));
const queries = Array.from({ length: SEARCHES }, () => [word(), word()]);

const folder = workFolder();
const docs = await openCollection(join(folder, 'data'), 'docs', { id: 'string', title: text() });
const db = new Database(join(folder, 'notes.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(
  'CREATE TABLE keys (id TEXT PRIMARY KEY); CREATE VIRTUAL TABLE notes USING fts5(id, title)',
);
const insertKey = db.prepare('INSERT OR REPLACE INTO keys VALUES (?)');
const insertNote = db.prepare('INSERT INTO notes VALUES (?, ?)');
const insert = db.transaction((rows: readonly Note[]) => {
  for (const { id, title } of rows) {
    insertKey.run(id);
    insertNote.run(id, title);
  }
});
const find = db.prepare('SELECT id FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10');

async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const bulk = { ours: 0, peer: 0 };
for (let n = 0; n < ROWS; n += BATCH) {
  const rows = notes.slice(n, n + BATCH);
  bulk.ours += await timed(() => docs.upsert(rows));
  bulk.peer += await timed(() => insert(rows));
}
const single = { ours: [] as number[], peer: [] as number[] };
for (const row of notes.slice(ROWS, ROWS + SINGLE)) {
  single.ours.push(await timed(() => docs.upsert(row)));
  single.peer.push(await timed(() => insert([row])));
}
const last = notes.slice(ROWS + SINGLE);
const together = await timed(() => Promise.all(last.map((row) => docs.upsert(row))));
const apart = await timed(() => {
  for (const row of last) insert([row]);
});
const searches = { ours: [] as number[], peer: [] as number[] };
for (const [a, b] of queries) {
  searches.ours.push(await timed(() => docs.search({ query: `${a} OR ${b}`, limit: 10 })));
  searches.peer.push(await timed(() => find.all(`${a} OR ${b}`)));
}
await docs.close();
db.close();
rmSync(folder, { recursive: true });

const rate = (rows: number, ms: number) => `${Math.round((rows / ms) * 1000)} rows/s`;
console.log(`a collection | SQLite FTS5, ${ROWS} rows of 20 words (${machine()})`);
console.log(`  batches of ${BATCH}  ${rate(ROWS, bulk.ours)} | ${rate(ROWS, bulk.peer)}`);
console.log(
  `  one by one  ${median(single.ours).toFixed(1)} | ${median(single.peer).toFixed(1)} ms`,
);
console.log(`  ${CONCURRENT} at once  ${rate(CONCURRENT, together)} | ${rate(CONCURRENT, apart)}`);
console.log(
  `  search  ${median(searches.ours).toFixed(2)} | ${median(searches.peer).toFixed(2)} ms`,
);
