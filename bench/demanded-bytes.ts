/**
 * What searches read of an index whose files are objects: rounds, requests and bytes of each kind
 * with an empty cache, and the median time with a full one. The index is one of a data folder; a
 * copy of it, with its files in a folder as the store, stays in the work folder for the next run.
 *
 *   node bench/demanded-bytes.ts DATA_DIR INDEX WORK_DIR WORD WORD FACET_FIELD DATE_FIELD [--all]
 *
 * `--all`: keys, row hashes and row locations are objects, too. Heads of files, dictionaries and
 * length codes are on the local disk.
 */
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { coolSegments } from '../packages/engine/dist/home/windows/move-window.js';
import { readCommit } from '../packages/engine/dist/index/commits/commit.js';
import { openEngine } from '../packages/engine/dist/local-backend.js';
import { WINDOW_FORM } from '../packages/engine/dist/segment/cool.js';
import { evictColdBytes } from '../packages/engine/dist/storage/cold-cache.js';
import { coldFigures } from '../packages/engine/dist/storage/cold-file.js';
import { openLocalDirectory } from '../packages/engine/dist/storage/local-directory.js';
import { storing } from '../test/support/stored-files.ts';

const all = process.argv.includes('--all');
const [data, index, work, first, second, facet, date] = process.argv.slice(2);
const copy = join(work, all ? 'all' : 'fields');
process.env.LHS_COLD_CACHE_DIR = join(work, 'cache');
const WARM = 21;
const LIMIT = Number(process.env.LIMIT ?? 10);

/** Copies a folder; large files as links: they are never changed. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [own, other] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(own, other);
    else if (statSync(own).size < 2 ** 20) cpSync(own, other);
    else linkSync(own, other);
  }
}

const isCold = ({ kind }: { readonly kind: string }): boolean => kind !== 'live';

async function cool(): Promise<void> {
  copyFolder(data, copy);
  for (const uuid of readdirSync(join(copy, 'indexes'))) {
    const directory = openLocalDirectory(join(copy, 'indexes', uuid, 'gen-000001'));
    const { segments } = readCommit(directory)!;
    const place = join(work, 'store');
    mkdirSync(place, { recursive: true });
    const form = all ? { ...WINDOW_FORM, isCold } : WINDOW_FORM;
    await coolSegments(directory, segments, storing(directory, place, 65_536), form);
  }
}

if (!existsSync(copy)) await cool();
const requests = {
  'one word': { query: first },
  'two words': { query: `${first} AND ${second}` },
  phrase: { query: `"${first} ${second}"` },
  prefix: { query: `${first.slice(0, 4)}*` },
  fuzzy: { query: `${first}~1` },
  range: { query: `${date}:[2020-01-01 TO 2020-12-31]` },
  sort: { query: first, sort: [{ field: date, desc: true }] },
  facets: { query: first, facets: { fields: [facet] } },
  collapse: { query: first, collapse: facet },
};
const engine = await openEngine(copy, { threads: 0 });
try {
  for (const [name, request] of Object.entries(requests)) {
    evictColdBytes(0);
    rmSync(process.env.LHS_COLD_CACHE_DIR, { recursive: true, force: true });
    const before = { ...coldFigures };
    const search = () => engine.search({ index, limit: LIMIT, ...request });
    const { total } = await search();
    const read = {
      rounds: coldFigures.rounds - before.rounds,
      requests: coldFigures.requests - before.requests,
      bytes: coldFigures.bytesRead - before.bytesRead,
    };
    const times: number[] = [];
    for (let i = 0; i < WARM; i++) {
      const started = performance.now();
      await search();
      times.push(performance.now() - started);
    }
    const median = times.sort((a, b) => a - b)[WARM >> 1];
    const megabytes = (read.bytes / 1e6).toFixed(2);
    console.log(
      `${name}: ${total} matches, ${read.rounds} rounds, ${read.requests} requests, ` +
        `${megabytes} MB; then ${median.toFixed(2)} ms`,
    );
  }
} finally {
  await engine.close();
}
