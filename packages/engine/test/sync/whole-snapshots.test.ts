import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deleteRows, openTable, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowedTable, next } from '../../../../test/support/followed-table.ts';

const CHILD = fileURLToPath(new URL('./look-child.ts', import.meta.url));
const SNAPSHOTS = process.env.LHS_TEST_LONG ? 200 : 40;

let table: FollowedTable;
beforeEach(async () => {
  table = await new FollowedTable().open();
});
afterEach(() => table.dispose());

interface Look {
  readonly before: string;
  readonly after: string;
  readonly rows: number;
  readonly digest: string;
  readonly search: { readonly total: number; readonly snapshot: string };
}

const digestOf = (rows: ReadonlyMap<number, string>) =>
  createHash('sha256')
    .update(
      [...rows]
        .map(([id, title]) => `${id}:${title}`)
        .sort()
        .join('\n'),
    )
    .digest('hex');

/**
 * Appends, replaces and deletes rows; what the table holds at each snapshot, kept as a plain map.
 */
async function makeHistory(
  snapshots: number,
): Promise<Map<string, { rows: number; digest: string }>> {
  const rows = new Map([1, 2, 3].map((id) => [id, `note ${id}`]));
  const truth = new Map<string, { rows: number; digest: string }>();
  const remember = async () => {
    const source = await openTable(table.config);
    const id = String(source.currentSnapshotId);
    await source.close();
    truth.set(id, { rows: rows.size, digest: digestOf(rows) });
  };
  await remember();
  for (let step = 0; step < snapshots; step++) {
    if (step % 4 === 3) {
      const below = step * 25;
      await deleteRows(table.config, `id < ${below} AND id > 10`);
      for (const id of rows.keys()) if (id < below && id > 10) rows.delete(id);
    } else {
      const fresh = Array.from({ length: 200 }, (_, i) => ({
        id: step * 50 + i,
        title: `step ${step} row ${i}`,
      }));
      await upsertRows(table.config, { kind: 'rows', rows: fresh });
      for (const { id, title } of fresh) rows.set(id, title);
    }
    await remember();
  }
  return truth;
}

describe('readers beside a sync', () => {
  it('see whole snapshots only when they reopen the index', async () => {
    const truth = await makeHistory(SNAPSHOTS);
    const child = spawn(process.execPath, [CHILD, table.folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const looks: Look[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => looks.push(JSON.parse(line) as Look));
    await once(lines, 'line');
    const [, ...snapshots] = truth.keys();
    for (const [step, until] of snapshots.entries()) {
      const seen = looks.length;
      await table.backend.sync({ until });
      if (step % 6 === 0 && looks.length === seen) await once(lines, 'line');
    }
    child.stdin.end();
    await once(child, 'close');
    const torn = looks.filter(({ before, after, rows, digest }) => {
      const states = [...truth].filter(([id]) => id === before || id === after || before !== after);
      return !states.some(([, state]) => state.rows === rows && state.digest === digest);
    });
    expect(torn).toEqual([]);
    for (const { search } of looks) expect(search.total).toBe(truth.get(search.snapshot)?.rows);
    expect(new Set(looks.map(({ before }) => before)).size).toBeGreaterThan(4);
    console.log(
      `whole snapshots: ${looks.length} looks of another process at ${truth.size} states`,
    );
  });

  it('see an unchanged commit while others follow', async () => {
    const truth = await makeHistory(12);
    const events = table.backend.follow({})[Symbol.asyncIterator]();
    const documents = table.backend.exportDocuments({});
    const rows = [(await documents.next()).value];
    for (let step = 0; step < 12; step++) {
      await next(events, 'commit', ['merge', 'waiting', 'retry']);
    }
    for await (const document of documents) rows.push(document);
    expect(rows.length).toBe([...truth.values()][0].rows);
    await events.return?.(undefined);
  });
});
