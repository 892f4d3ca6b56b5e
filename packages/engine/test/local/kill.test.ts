// @module-tag campaign

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { filesOf } from '../../src/index/commits/commit.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { sweepIndex } from '../../src/open/open-index.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const script = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the writer; the number of its operations, or null when it was killed. */
function run(work: 'reindex' | 'sync', shards: number, at?: number): number | null {
  const args = [script, folder, work, String(shards), ...(at === undefined ? [] : [String(at)])];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.signal === 'SIGKILL') return null;
  expect(child.stderr.replaceAll(/^.*Warning.*$/gm, '').trim()).toBe('');
  return Number(child.stdout);
}

/** Opens the index as the next process does. */
function openLive() {
  sweepIndex(folder, openLocalDirectory);
  const { path } = currentGeneration(folder)!;
  return { path, snapshot: openSnapshot(openLocalDirectory(path)) };
}

/**
 * The index is whole and holds one of these numbers of documents; the folder, only what it needs.
 */
function expectWhole(counts: readonly number[]): void {
  const { path, snapshot } = openLive();
  expect(counts).toContain(snapshot.liveDocs);
  expect(checkIndex(snapshot)).toEqual([]);
  const needed = [...filesOf(snapshot.commit)].sort();
  snapshot.release();
  expect(readdirSync(folder).sort()).toEqual(['CURRENT', basename(path)]);
  expect(readdirSync(path).filter((name) => name !== 'verified')).toEqual(needed);
}

/** Some points of a run of this many operations; all of them with LHS_TEST_LONG=1. */
const stepOf = (operations: number, points: number): number =>
  process.env.LHS_TEST_LONG === '1' ? 1 : Math.ceil(operations / points);

describe.each([
  { shards: 1, points: byEffort(3, 6, 12) },
  { shards: 3, points: byEffort(2, 4) },
])('a killed process that writes an index of $shards shards', ({ shards, points }) => {
  test('leaves the former generation of a reindex, and no orphan after the next open', () => {
    const operations = run('reindex', shards)!;
    expect(operations).toBeGreaterThan(40);
    const last = operations + 2;
    for (
      let at = 1;
      at <= last;
      at += at < last - 2 ? Math.min(stepOf(operations, points), last - 2 - at) : 1
    ) {
      expect(run('reindex', shards, at), `operation ${at}`).toBeNull();
      expectWhole([300]);
    }
  });

  test('leaves the old or the new commit of a sync, and no orphan after the next open', () => {
    run('reindex', shards);
    const rows = () => {
      const { snapshot } = openLive();
      const { liveDocs } = snapshot;
      snapshot.release();
      return liveDocs;
    };
    for (let at = 1; at < 100; at += stepOf(100, points)) {
      const before = rows();
      const operations = run('sync', shards, at);
      if (operations !== null) break;
      expectWhole([before, before + 300, before + 297]);
      run('reindex', shards);
    }
  });
});
