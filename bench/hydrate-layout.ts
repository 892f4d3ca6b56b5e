/**
 * Look-ups of 20 rows in files of one row group without an offset index, as pyarrow and pyiceberg
 * write them by default: ten pages of hits at random rows of six such files (two billion bytes of
 * pages), asked for again and again.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTable } from '@lakehouse-search/lake';
import { loadTable } from '../packages/lake/src/catalog/load-table.ts';
import type { Field, Type } from '../packages/lake/src/schema/type.ts';
import { commitTable } from '../packages/lake/src/write/commit/commit.ts';
import { snapshotMetadata } from '../packages/lake/src/write/commit/snapshot-commit.ts';
import { writeTable } from '../packages/lake/src/write/table-writer.ts';
import { median, need, SHARED, workFolder } from './shared.ts';

const FILES = 6;
const PAGES = 10;
const HITS = 20;
const COLUMNS: readonly (readonly [string, Type])[] = [
  ['repo', { kind: 'string' }],
  ['sha', { kind: 'string' }],
  ['author', { kind: 'string' }],
  ['authored_at', { kind: 'timestamptz' }],
  ['subject', { kind: 'string' }],
  ['body', { kind: 'string' }],
  ['words', { kind: 'long' }],
];

/** A table of `FILES` such files; rows of a file. */
async function makeTable(folder: string, config: { catalog: object; table: string }) {
  const made = join(folder, 'made.parquet');
  const commits = need(join(SHARED, 'data/commits.parquet'), 'the shared folder');
  const script = fileURLToPath(new URL('pyarrow_layout.py', import.meta.url));
  const rows = Number(execFileSync('python3', [script, commits, made], { encoding: 'utf8' }));
  const fields = COLUMNS.map(([name, type], i): Field => {
    return { id: i + 1, name, type, required: false };
  });
  const at = config as Parameters<typeof loadTable>[0] & { catalog: never };
  await writeTable(at.catalog, config.table, {
    schema: { schemaId: 0, identifierFieldIds: [], fields },
  });
  const { files } = await loadTable(at);
  const none = new Map<number, never>();
  const addedData = Array.from({ length: FILES }, (_, i) => {
    const recorded = files.record(`data/${i}.parquet`);
    const real = files.resolve(recorded);
    mkdirSync(dirname(real), { recursive: true });
    copyFileSync(made, real);
    const counts = { valueCounts: none, nullCounts: none, lowerBounds: none, upperBounds: none };
    const fileSize = statSync(real).size;
    return { recorded, real, partition: [], recordCount: rows, fileSize, ...counts };
  });
  const change = { operation: 'append', addedDeletes: [], mayRemove: false } as const;
  await commitTable(await loadTable(at), ({ metadata, files: own }) =>
    snapshotMetadata(metadata, own, { ...change, addedData, removes: () => false }, 'main'),
  );
  return rows;
}

/** Prints what 20 rows cost in that layout, first and again. */
export async function hydrateLayout(rounds: number): Promise<void> {
  const folder = workFolder();
  const config = {
    catalog: { type: 'filesystem', warehouse: folder } as const,
    table: 'bench.layout',
  };
  const rows = await makeTable(folder, config);
  const table = await openTable(config);
  const { files } = await table.files(table.currentSnapshotId);
  const names = COLUMNS.map(([name]) => name);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pages = Array.from({ length: PAGES }, () =>
    Array.from({ length: HITS }, () => {
      return { file: files[random(FILES)].data.path, position: random(rows) };
    }),
  );
  const times: number[][] = [];
  const cost = { bytes: 0, requests: 0 };
  for (let round = 0; round <= rounds; round++) {
    const own: number[] = [];
    for (const page of pages) {
      const started = performance.now();
      const found = await table.lookup(page, names, round === 0 ? { cost } : {});
      own.push(performance.now() - started);
      if (found.includes(null)) throw new Error('a row is missing');
    }
    times.push(own);
  }
  await table.close();
  rmSync(folder, { recursive: true });
  const [first, ...again] = times;
  console.log(
    `  one row group a file, no offset index, ${FILES} files of ${rows} rows: 20 rows ` +
      `again p50 ${median(again.flat()).toFixed(1)} ms (target 10), first time p50 ` +
      `${median(first).toFixed(0)} ms and ${(cost.bytes / PAGES / 1e6).toFixed(0)} MB`,
  );
}
