/**
 * Bytes of incremental backups of an index over git.commits (443,726 rows): after 1,000 rows were
 * appended, after 1,000 were changed, and after a compaction, each against a full backup. Counted
 * are all bytes that the folder of backups grows by, manifests too.
 *
 *   node bench/backup.ts
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, upsertRows } from '@lakehouse-search/lake';
import { renewed, takeRows } from './commit-rows.ts';
import { commitsDefinition, copyCommits, machine, workFolder } from './shared.ts';

const ROWS = 1000;
const folder = workFolder();
const path = copyCommits(folder);
const target = join(folder, 'backups');

/** Bytes of all files below a folder. */
function bytesBelow(place: string): number {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
    0,
  );
}

const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
const index = 'commits';
try {
  await backend.createIndex({ definition: commitsDefinition(path) });
  await backend.reindex({ index });
  const first = await backend.backup({ index, target });
  const full = bytesBelow(target);
  console.log(`backups of git.commits (${machine()})`);
  const took = `${(first.took_ms / 1000).toFixed(1)} s`;
  console.log(`  full: ${(full / 1e6).toFixed(1)} MB, ${first.file_count} files, ${took}`);
  let stored = full;
  const measure = async (what: string, change: () => Promise<unknown>) => {
    await change();
    const { took_ms, files_copied } = await backend.backup({ index, target });
    const now = bytesBelow(target);
    const share = (((now - stored) / full) * 100).toFixed(2);
    const size = `${((now - stored) / 1e6).toFixed(2)} MB, ${share} % of the full one`;
    console.log(`  ${what}: ${size}, ${files_copied} files, ${(took_ms / 1000).toFixed(1)} s`);
    stored = now;
  };
  const rows = await takeRows(path, ROWS);
  await measure('nothing changed', async () => undefined);
  await measure(`${ROWS} rows appended`, async () => {
    await appendRows({ path }, { kind: 'rows', rows: renewed(rows, 1, 'appended') });
    await backend.sync({ index });
  });
  await measure(`${ROWS} rows changed`, async () => {
    const key = ['repo', 'sha'];
    await upsertRows({ path }, { kind: 'rows', rows: renewed(rows, 1, 'changed') }, key);
    await backend.sync({ index });
  });
  await measure('compacted', () => backend.compact({ index }));
  const status = await backend.verify({ index, sample: 1000 });
  if (!status.equal) throw new Error('the index differs from its table');
} finally {
  await backend.close();
  rmSync(folder, { recursive: true });
}
