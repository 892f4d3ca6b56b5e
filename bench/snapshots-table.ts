/**
 * A table of git.commits' rows in many small snapshots, made once and kept in the work folder:
 * `WORK/snapshots-<count>x<rows>/lake/git/commits`. Rows repeat under new keys when they run out.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendRows, createTable, openTable } from '@lakehouse-search/lake';
import { type CommitRow, commitRows } from './commit-rows.ts';
import { need, SHARED, WORK } from './shared.ts';

/** A table and its snapshots, oldest first. */
export interface SnapshotsTable {
  readonly path: string;
  readonly snapshots: readonly string[];
}

/**
 * The table with `count` snapshots of `rows` rows after a first one; made where it is not there.
 */
export async function snapshotsTable(count: number, rows: number): Promise<SnapshotsTable> {
  const folder = join(WORK, `snapshots-${count}x${rows}`);
  const path = join(folder, 'lake/git/commits');
  if (!existsSync(folder)) {
    const staged = `${folder}.new`;
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(join(staged, 'lake'), { recursive: true });
    renameSync(staged, folder);
    await make(folder, count, rows);
    writeFileSync(join(folder, 'whole'), '');
  }
  need(join(folder, 'whole'), `the last run died while it made the table: remove ${folder}`);
  const table = await openTable({ path });
  const head = table.currentSnapshotId!;
  const snapshots = table.ancestry(head).map(({ id }) => String(id));
  await table.close();
  return { path, snapshots: snapshots.reverse() };
}

async function make(folder: string, count: number, rows: number): Promise<void> {
  const source = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
  const table = await openTable({ path: source });
  const { schema } = table;
  await table.close();
  const warehouse = join(folder, 'lake');
  await createTable({ type: 'filesystem', warehouse }, 'git.commits', { schema });
  const path = join(warehouse, 'git/commits');
  let waiting: CommitRow[] = [];
  let done = 0;
  for (let pass = 0; done <= count; pass++) {
    for await (const row of commitRows(source)) {
      waiting.push(pass === 0 ? row : { ...row, sha: `${pass}-${row.sha}` });
      if (waiting.length < rows) continue;
      await appendRows({ path }, { kind: 'rows', rows: waiting });
      waiting = [];
      if (++done > count) return;
    }
  }
}
