// @module-tag campaign
// @module-tag slow
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SyncResponse } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { hasShared, shared, tablePath } from '../../../../test/support/shared-tables.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { expectSnapshot } from './in-step/expect-snapshot.ts';
import { goesByStates } from './in-step/states.ts';
import { openTruthTable, type TruthTable } from './in-step/truth-table.ts';

/**
 * `LHS_SEED=7 npx vitest run --project whole packages/engine/test/sync/in-step` jumps another way.
 */
const SEED = Number(process.env.LHS_SEED ?? byEffort(4, seedOfDay()));
/** Most random jumps per table. */
const JUMPS = byEffort(1, 1, 60);

let dataDir = '';
let backend: LocalEngine;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-in-step-'));
  backend = await openEngine(dataDir, {
    create: true,
    threads: 0,
    openEmbedder: tinyModels().open,
  });
});
afterEach(async () => {
  await backend.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs `work` on a table with an index over it that has not been built. */
async function withTable(
  name: string,
  shards: number,
  work: (table: TruthTable) => Promise<void>,
): Promise<void> {
  const table = await openTruthTable(name, { withMeaning: true });
  try {
    const definition = `${table.definition}\nsharding: { shards: ${shards} }\n`;
    await backend.createIndex({ definition, base_dir: '/' });
    await work(table);
  } finally {
    await table.source.close();
  }
}

const ancestors = ({ truth }: TruthTable) =>
  truth.snapshots.filter((s) => s.is_current_ancestor).map((s) => s.snapshot_id);

/** What a sync must say: of each step on the way, or of one step over all, or one that heals. */
async function expectedAnswer(table: TruthTable, from: string, to: string, net: boolean) {
  const way = table.wayTo(from, to);
  if (way === null) {
    const counts = await table.change(from, to);
    const reason = table.wayTo(to, from) === null ? 'diverged' : 'rolled_back';
    return { snapshots_applied: 1, ...counts, healed: { reason, ...counts } };
  }
  const sum = { inserted: 0, updated: 0, deleted: 0 };
  let before = from;
  for (const id of net ? way.slice(-1) : way) {
    const { inserted, updated, deleted } = await table.change(before, id);
    sum.inserted += inserted;
    sum.updated += updated;
    sum.deleted += deleted;
    before = id;
  }
  return { snapshots_applied: way.length, ...sum };
}

async function jump(
  table: TruthTable,
  from: string,
  to: string,
  net = false,
): Promise<SyncResponse> {
  const done = await backend.sync({ until: to, net });
  expect(done, `from ${from} to ${to}`).toMatchObject({
    snapshot: to,
    doc_count: table.snapshot(to).row_count,
    ...(await expectedAnswer(table, from, to, net)),
  });
  await expectSnapshot(backend, table, to);
  return done;
}

const tables = hasShared
  ? readdirSync(`${shared}iceberg`).filter((name) => existsSync(`${tablePath(name)}/truth.json`))
  : [];
const followed = tables.filter((name) => !['git.commits', 'formats_mixed'].includes(name));
/** Each table is followed with one shard in one of the two tests and with three in the other. */
const shardsOf = (name: string, testNumber: number): number =>
  (followed.indexOf(name) + testNumber) % 2 === 0 ? 1 : 3;

describe.skipIf(!hasShared)('syncs of foreign tables', () => {
  // `in-step-states` follows the others in a brief run
  const bySteps = followed.filter((name, i) => byEffort(!goesByStates(name, i), true));
  const stepped = everyNth(bySteps, byEffort(2, 1), SEED);
  it.each(stepped)('%s: snapshot by snapshot', async (name) => {
    await withTable(name, shardsOf(name, 0), async (table) => {
      const [first, ...later] = ancestors(table);
      const built = await backend.reindex({ as_of: first });
      expect(built).toMatchObject({ snapshot: first ?? null });
      if (first !== undefined) await expectSnapshot(backend, table, first);
      let before = first;
      for (const id of later) {
        const done = await jump(table, before, id);
        const { operation } = table.snapshot(id);
        expect(done.skipped_replace).toBe(operation === 'replace' ? 1 : 0);
        const counts = table.truth.changelog.find((step) => step.to === id)?.counts;
        expect(done).toMatchObject({ inserted: counts!.inserts, deleted: counts!.deletes });
        expect(done.updated).toBeLessThanOrEqual(counts!.updates);
        const all = table.indexed.length === table.schema.fields.length;
        if (all) expect(done.updated).toBe(counts!.updates);
        before = id;
      }
      expect(await backend.sync({})).toMatchObject({ snapshots_applied: 0, inserted: 0 });
    });
  });

  const jumped = everyNth(followed, byEffort(4, 2, 1), SEED);
  it.each(jumped)('%s: in one jump, then to any snapshot from any other', async (name) => {
    await withTable(name, shardsOf(name, 1), async (table) => {
      const [first, ...later] = ancestors(table);
      if (first === undefined) return;
      await backend.reindex({ as_of: first });
      const head = later.at(-1) ?? first;
      await jump(table, first, head, true);
      const all = table.truth.snapshots.map((s) => s.snapshot_id);
      let before = head;
      const next = seededNumbers(SEED);
      for (let i = 0; i < Math.min(2 * all.length, JUMPS); i++) {
        const to = all[Math.floor(next() * all.length)];
        await jump(table, before, to, next() < 0.5).catch((error) => {
          throw new Error(`seed ${SEED}, jump ${i} from ${before} to ${to}`, { cause: error });
        });
        before = to;
      }
      await jump(table, before, head);
    });
  });

  it('formats_mixed: an index over ORC files is refused by name', async () => {
    await expect(withTable('formats_mixed', 1, async () => {})).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/\.orc" is ORC/),
    });
  });
});
