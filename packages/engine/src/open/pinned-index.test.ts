import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { blockOf, modelOf, plans, type Row } from '../../../../test/support/writer-pair.ts';
import { filesOf, readCommit } from '../index/commits/commit.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import {
  currentGeneration,
  promoteGeneration,
  stageGeneration,
  sweepGenerations,
} from './index-folder.ts';
import { sweepIndex } from './open-index.ts';
import { openPinnedIndex, pinIndex, releasePinnedIndex } from './pinned-index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-pins-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const state = { checkpoint: null, files: filesNamed('a') };

/** A generation of documents 0 .. count, promoted as a reindex does it. */
function build(count: number): void {
  const staged = stageGeneration(folder);
  const writer = IndexWriter.open(openLocalDirectory(staged.path), plans);
  const rows = Array.from({ length: count }, (_, i): [string, Row] => [
    `k${i}`,
    { n: BigInt(i), file: 0, position: i },
  ]);
  writer.add(blockOf(rows));
  writer.commit(state);
  writer.close();
  promoteGeneration(folder, staged);
}

describe('a pinned index', () => {
  test('keeps its generation through a reindex until the next sweep after release', () => {
    const now = Date.now();
    expect(() => pinIndex({ folder, index: 'notes' }, openLocalDirectory, 60_000, now)).toThrow(
      'index "notes" has not been built yet',
    );
    build(10);
    const { generation, pin } = pinIndex(
      { folder, index: 'notes' },
      openLocalDirectory,
      60_000,
      now,
    );
    const pinned = { generation, id: pin.id };
    build(20);
    expect(sweepGenerations(folder, now)).toEqual([]);
    sweepIndex(folder, openLocalDirectory, now);
    build(30);
    expect(sweepGenerations(folder, now).length).toBe(1);
    const snapshot = openPinnedIndex(folder, openLocalDirectory, pinned, now);
    expect(snapshot.generation).toBe(1);
    expect(modelOf(snapshot).size).toBe(10);
    expect(releasePinnedIndex(folder, openLocalDirectory, pinned)).toBe(true);
    sweepIndex(folder, openLocalDirectory, now);
    // What is open stays: files are mapped.
    expect(modelOf(snapshot).get('k7')?.n).toBe(7n);
    snapshot.release();
    expect(() => openPinnedIndex(folder, openLocalDirectory, pinned, now)).toThrow('or expired');
    expect(releasePinnedIndex(folder, openLocalDirectory, pinned)).toBe(false);
    const live = currentGeneration(folder)!;
    expect(readdirSync(folder).sort()).toEqual(['CURRENT', `gen-00000${live.number}`]);
  });

  test('keeps no generation once expired; files of the live one are removed', () => {
    const now = Date.now();
    build(10);
    const { path } = currentGeneration(folder)!;
    pinIndex({ folder, index: 'notes' }, openLocalDirectory, 1000, now);
    const writer = IndexWriter.open(openLocalDirectory(path), plans, { now: () => now });
    writer.markPositions(new Map([[0, Int32Array.of(1, 2)]]));
    writer.deleteMarked();
    writer.merges.runForced(1);
    writer.commit(state);
    writer.close();
    const unneeded = () => {
      const kept = filesOf(readCommit(openLocalDirectory(path))!);
      return readdirSync(path).filter((name) => !kept.has(name) && name !== 'verified').length;
    };
    sweepIndex(folder, openLocalDirectory, now + 999);
    expect(unneeded()).toBeGreaterThan(3);
    sweepIndex(folder, openLocalDirectory, now + 1000);
    expect(unneeded()).toBe(0);
    build(5);
    expect(sweepGenerations(folder, now + 1000)).toEqual([path]);
    expect(existsSync(path)).toBe(false);
  });
});
