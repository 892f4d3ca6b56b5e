// @module-tag campaign
// @module-tag slow
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { hasShared } from '../../../../test/support/shared-tables.ts';
import { openTruthTable, type TruthTable } from './in-step/truth-table.ts';

/** Left out but for the long tests: with all columns it takes three times as long. */
const SPARED = ['author', 'authored_at', 'body', 'lines', 'meta', 'origin_ip', 'upper_ratio'];
const WITHOUT = process.env.LHS_TEST_LONG ? [] : SPARED;

/** Digest of an index's export as JSON lines, which stand in the order of their keys. */
async function exportDigest(backend: LocalEngine, index: string) {
  const hash = createHash('sha256');
  let lines = 0;
  for await (const document of backend.exportDocuments({ index })) {
    hash.update(`${JSON.stringify(document)}\n`);
    lines++;
  }
  return { lines, sha256: hash.digest('hex') };
}

const ALL = Number.POSITIVE_INFINITY;
/** Snapshots that are followed, up to the newest; in long runs all of them. */
const FOLLOWED = byEffort(0, 4, ALL);

/** Follows the table snapshot by snapshot; the counts are the truth's. */
async function follow(backend: LocalEngine, { truth }: TruthTable): Promise<void> {
  const [first, ...later] = truth.snapshots.slice(-FOLLOWED);
  await backend.reindex({ index: 't', as_of: first.snapshot_id });
  for (const snapshot of later) {
    const done = await backend.sync({ index: 't', until: snapshot.snapshot_id });
    const { counts } = truth.changelog.find((step) => step.to === snapshot.snapshot_id)!;
    expect(done).toMatchObject({
      snapshot: snapshot.snapshot_id,
      doc_count: snapshot.row_count,
      snapshots_applied: 1,
      inserted: counts.inserts,
      updated: counts.updates,
      deleted: counts.deletes,
      skipped_replace: snapshot.operation === 'replace' ? 1 : 0,
    });
    expect(done).not.toHaveProperty('healed');
  }
}

/** What is built at the head has the documents of the index that was followed to it. */
async function expectBuildEqual(backend: LocalEngine, table: TruthTable): Promise<void> {
  const definition = table.definition.replace('index: t', 'index: fresh');
  await backend.createIndex({ definition, base_dir: '/' });
  await backend.reindex({ index: 'fresh' });
  const [followed, built] = [
    await exportDigest(backend, 't'),
    await exportDigest(backend, 'fresh'),
  ];
  expect(followed.lines).toBe(443_726);
  expect(followed).toEqual(built);
}

describe.skipIf(!hasShared || FOLLOWED === 0)('syncs of git.commits', () => {
  it('followed through all its snapshots it equals what is built at its head', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'lhs-in-step-git-'));
    const backend = await openEngine(dataDir, { create: true, threads: 0 });
    const table = await openTruthTable('git.commits', { without: WITHOUT });
    try {
      await backend.createIndex({ definition: table.definition, base_dir: '/' });
      await follow(backend, table);
      const verified = await backend.verify({ index: 't' });
      expect(verified).toMatchObject({ equal: true, missing: 0, extra: 0, stale: 0, faults: [] });
      expect(verified.rows_compared).toBe(verified.doc_count);
      if (FOLLOWED === ALL) await expectBuildEqual(backend, table);
    } finally {
      await table.source.close();
      await backend.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
