// @module-tag campaign
// @module-tag program
/**
 * Random query trees over git.commits against DuckDB's counts over sets of tokens. LHS_GIT_COUNTS
 * sets how many: 200 over the first snapshot unless told; with LHS_TEST_LONG=1 10,000 over the
 * table as it is now, synced there from its first snapshot.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchRequest } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { hasShared, tablePath } from '../../../../test/support/shared-tables.ts';
import { writeTree } from '../../src/query/tree/write.ts';
import { conditionOf } from './git-counts/count-sql.ts';
import { queryTrees } from './git-counts/query-trees.ts';
import { tokenTable } from './git-counts/token-table.ts';

const LONG = process.env.LHS_TEST_LONG !== undefined;
const CASES = Number(process.env.LHS_GIT_COUNTS ?? byEffort(0, 200, 10_000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const PATH = tablePath('git.commits');

const DEFINITION = `version: 1
index: t
source: { path: ${PATH} }
key: { identifier: [repo, sha] }
fields:
  - { name: subject, type: TEXT, analyzer: simple }
  - { name: author, type: TEXT, analyzer: simple }
  - { name: repo, type: KEYWORD }
  - { name: words, type: LONG }
  - { name: is_revert, type: BOOL }
`;

/** Builds the index at the first snapshot; in the long test syncs it to the last. */
async function build(backend: LocalEngine): Promise<bigint> {
  const table = await openTable({ path: PATH });
  const all = table.snapshots.toSorted((a, b) => Number(a.timestampMs - b.timestampMs));
  const head = table.currentSnapshotId!;
  await table.close();
  await backend.createIndex({ definition: DEFINITION });
  await backend.reindex({ as_of: String(all[0]!.id) });
  if (!LONG) return all[0]!.id;
  await backend.sync({});
  return head;
}

describe.skipIf(!hasShared || CASES === 0)('counts over git.commits', () => {
  it(`${CASES} random query trees have DuckDB's counts (seed ${SEED})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-git-counts-'));
    const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    try {
      const table = await tokenTable(PATH, await build(backend));
      const trees = fc.sample(queryTrees(table, 3), { seed: SEED, numRuns: CASES });
      let some = 0;
      for (const tree of trees) {
        const ast = writeTree(tree) as SearchRequest['ast'];
        const sql = `select count(*)::integer from docs where ${conditionOf(tree, table)}`;
        const [[wanted]] = (await table.connection.runAndReadAll(sql)).getRows();
        const { total } = await backend.search({ ast, limit: 1 });
        if (total !== wanted) {
          expect.fail(`${JSON.stringify(ast)}: ${total}, DuckDB counts ${wanted}`);
        }
        if (total > 0 && total < table.docs) some++;
      }
      expect(some).toBeGreaterThan(CASES / 3);
      table.connection.closeSync();
    } finally {
      await backend.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
