/**
 * Bytes and time of a commit after 10 appended data files, by the number of data files; beside it
 * the JSON with all of them that format 2 wrote, in turns.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataFile, dataFiles } from '../packages/engine/src/index/commits/data-files.ts';
import { openSnapshot } from '../packages/engine/src/index/index-snapshot.ts';
import { IndexWriter } from '../packages/engine/src/index/index-writer.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { writeOldCommit } from '../test/support/old-commit.ts';

const ROUNDS = 9;

const fileAt = (i: number): DataFile => {
  const id = crypto.randomUUID();
  const path = `s3://warehouse/db/events/data/day=${i % 365}/00000-${i}-${id}.parquet`;
  return { path, entries: [{ records: 50_000 + i, sequence: String(i), deletes: [] }] };
};

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1];

function timed(times: number[], work: () => void): void {
  const started = performance.now();
  work();
  times.push(performance.now() - started);
}

const bytesOf = (folder: string, names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

function measure(count: number): void {
  const [folder, old] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'lhs-commit-size-')));
  const [directory, before] = [folder, old].map((path) => openLocalDirectory(path));
  const all = Array.from({ length: count }, (_, i) => fileAt(i));
  const writer = IndexWriter.open(directory, []);
  const commit = () =>
    writer.commit({ checkpoint: null, files: dataFiles(all, writer.lastCommit.files) });
  commit();
  let snapshot = openSnapshot(directory);
  const times = {
    commit: [] as number[],
    old: [] as number[],
    open: [] as number[],
    json: [] as number[],
  };
  let written = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < 10; i++) all.push(fileAt(all.length));
    const known = new Set(directory.list());
    timed(times.commit, commit);
    const fresh = directory.list().filter((name) => name === 'commit' || !known.has(name));
    written = Math.max(written, bytesOf(folder, fresh));
    timed(times.old, () => writeOldCommit(before, writer.lastCommit, 2));
    timed(times.open, () => {
      const next = openSnapshot(directory, { former: snapshot });
      snapshot.release();
      snapshot = next;
    });
    timed(times.json, () => openSnapshot(before).release());
  }
  snapshot.release();
  const oldBytes = bytesOf(old, ['commit']);
  const [ms, oldMs, open, oldOpen] = [times.commit, times.old, times.open, times.json].map(median);
  const ratios = [written / oldBytes, ms / oldMs, open / oldOpen].map((ratio) => ratio.toFixed(4));
  const figures = [written, ms.toFixed(1), open.toFixed(1)];
  console.log(`${count}: ${figures.join('/')}; ${ratios.join('/')}`);
  writer.close();
  for (const path of [folder, old]) rmSync(path, { recursive: true });
}

console.log('files: bytes/ms to commit/ms to open; over format 2');
for (const count of [10, 1000, 20_000, 200_000]) measure(count);
