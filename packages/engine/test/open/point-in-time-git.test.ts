/**
 * The whole of git.commits page by page at a point in time, in several orders, relevance too, while
 * the index follows the table's later snapshots between the pages: every key exactly once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, SearchRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { describe, expect, it } from 'vitest';
import { hasShared } from '../../../../test/support/shared-tables.ts';
import { openTruthTable } from '../sync/in-step/truth-table.ts';

const long = process.env.LHS_TEST_LONG !== undefined;
const WITHOUT = ['author', 'body', 'lines', 'meta', 'origin_ip', 'upper_ratio'];
/** Pages between two steps of the table. */
const PAGES_A_STEP = 40;

const ORDERS: readonly SearchRequest[] = [
  { query: 'subject:fix OR subject:merge OR *:*', sort: [{ field: '_score' }] },
  { query: '*:*', sort: [{ field: 'authored_at', desc: true }] },
  { query: '*:*', sort: [{ field: 'repo' }, { field: '_score' }] },
  { query: '*:*', sort: [{ field: '_key', desc: true }] },
];

describe.skipIf(!hasShared || !long)('points in time of git.commits', () => {
  it('gives every key once in every order while syncs run', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'lhs-pit-git-'));
    const backend = await openEngine(dataDir, { create: true, threads: 0 });
    const table = await openTruthTable('git.commits', { without: WITHOUT });
    const { snapshots } = table.truth;
    const middle = Math.floor(snapshots.length / 2);
    const later = snapshots.slice(middle + 1);
    try {
      await backend.createIndex({ definition: table.definition, base_dir: '/' });
      await backend.reindex({ index: 't', as_of: snapshots[middle].snapshot_id });
      const { pit_id } = await backend.openPit({ index: 't', keep_alive: '1h' });
      const expected = new Set<string>();
      for await (const { coordinates } of backend.exportDocuments({ index: 't' })) {
        expected.add(JSON.stringify(coordinates));
      }
      expect(expected.size).toBe(snapshots[middle].row_count);
      for (const order of ORDERS) {
        const left = new Set(expected);
        let after: readonly Json[] | undefined;
        for (let page = 0; ; page++) {
          const request = { ...order, index: 't', pit_id, limit: 500, fields: [] };
          const { hits, total } = await backend.search({ ...request, search_after: after });
          expect(total).toBe(expected.size);
          for (const { coordinates } of hits) {
            const key = JSON.stringify(coordinates);
            if (!left.delete(key)) expect.fail(`${key} came twice, or out of nowhere`);
          }
          if (hits.length === 0) break;
          after = hits.at(-1)!.sort;
          const next = page % PAGES_A_STEP === 0 ? later.shift() : undefined;
          if (next !== undefined) await backend.sync({ index: 't', until: next.snapshot_id });
        }
        expect(left.size, JSON.stringify(order)).toBe(0);
      }
      expect(later).toEqual([]);
      await backend.closePit({ index: 't', pit_id });
    } finally {
      await table.source.close();
      await backend.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
