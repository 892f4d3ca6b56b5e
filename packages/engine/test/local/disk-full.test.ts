import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTable, type SourceTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, FaultyDirectory } from '../../../../test/support/faulty-directory.ts';
import { hasShared, tablePath } from '../../../../test/support/shared-tables.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import type { CommittedField } from '../../src/index/commits/commit.ts';
import {
  currentGeneration,
  discardGeneration,
  type Generation,
  stageGeneration,
  takeLock,
} from '../../src/open/index-folder.ts';
import type { OpenDirectory } from '../../src/open/open-index.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { buildGeneration } from '../../src/sync/build/build-generation.ts';
import type { BuildJob, BuiltIndex } from '../../src/sync/build/cut-over.ts';
import { freshVectorBytes, requireRoom } from '../../src/sync/build/disk-room.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-full-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const definition = requireDefinition(
  `version: 1
index: t
source: { path: ${JSON.stringify(tablePath('reviews_mor'))} }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: product, type: KEYWORD, fast: true }
  - { name: opened, type: DATE }
`,
  ANALYZER_CATALOG,
);

async function build(table: SourceTable, fault: Fault): Promise<{ bytes: number }> {
  const made: FaultyDirectory[] = [];
  const models = { baseDir: folder, openEmbedder: tinyModels().open };
  const openDirectory: OpenDirectory = (path, fence) => {
    const directory = new FaultyDirectory(openLocalDirectory(path, fence), fault);
    made.push(directory);
    return directory;
  };
  const index: BuiltIndex = {
    ...{ folder, definition, definitionVersion: 1, table, openDirectory, ...models },
    locked: async (work) => {
      const lock = takeLock(folder, 't', 'reindex');
      return work(lock).finally(() => lock.release());
    },
    named: () => new Set(),
  };
  const staged: Generation[] = [];
  const job: BuildJob = {
    stage: (folder) => {
      staged.push(stageGeneration(folder));
      return staged[0];
    },
    adopt: () => {},
    fence: () => {},
    beginCutover: () => {},
    promote: (_, promote) => promote(),
  };
  try {
    await buildGeneration(index, { as_of: undefined, left: null }, 0, job);
    return { bytes: made[0].bytes };
  } catch (error) {
    for (const generation of staged) discardGeneration(folder, generation);
    throw error;
  }
}

describe.skipIf(!hasShared)('a disk that fills up during a reindex', () => {
  it('at any byte: names the disk, keeps the former generation, leaves nothing', async () => {
    const table = await openTable({ path: tablePath('reviews_mor') });
    const { bytes } = await build(table, { kind: 'none' });
    expect(readdirSync(folder).sort()).toEqual(['CURRENT', 'gen-000001']);
    for (let i = 0; i < 12; i++) {
      const byte = Math.floor((bytes * i) / 12);
      await expect(build(table, { kind: 'full', byte })).rejects.toMatchObject({
        code: 'disk_full',
        message: expect.stringContaining(folder),
      });
      expect(readdirSync(folder).sort()).toEqual(['CURRENT', 'gen-000001']);
      expect(currentGeneration(folder)?.number).toBe(1);
    }
    await build(table, { kind: 'none' });
    expect(readdirSync(folder).sort()).toEqual(['CURRENT', 'gen-000002']);
    await table.close();
  });
});

describe('the check before a reindex', () => {
  const set = {
    snapshotId: 1n,
    files: [{ data: { fileSize: 5_000_000, recordCount: 1000 }, deletes: [] }],
  };
  const room =
    (former: number, free: number, segment = 0, cache = 0) =>
    () =>
      requireRoom(set as unknown as Parameters<typeof requireRoom>[0], former, free, '/data/x', {
        segment,
        cache,
      });

  it('refuses with 412, naming the folder and both figures', () => {
    expect(room(0, 5_000_000)).not.toThrow();
    expect(room(0, 4_999_999)).toThrow(
      'the disk of "/data/x" is too full to reindex: about 5.0 MB are needed, 5.0 MB are free',
    );
    expect(room(0, 7_000_000, 2000)).not.toThrow();
    expect(room(0, 6_900_000, 2000)).toThrow('about 7.0 MB are needed, 6.9 MB are free');
    expect(room(10_000_000, 22_000_000)).not.toThrow();
    expect(room(10_000_000, 21_000_000)).toThrow('about 22.0 MB are needed, 21.0 MB are free');
    expect(room(10_000_000, 24_200_001, 1000)).not.toThrow();
    expect(room(10_000_000, 24_100_000, 1000)).toThrow('about 24.2 MB are needed');
    expect(room(10_000_000, 26_100_000, 1000, 2000)).toThrow('about 26.2 MB are needed');
    expect(room(10_000_000, 1)).toThrow(
      expect.objectContaining({ code: 'disk_short', status: 412 }),
    );
  });
});

describe('vectors that a rebuilt index does not have yet', () => {
  const field = (name: string, dims: number, model: string | null): CommittedField => {
    const made = model === null ? null : { name: model, checksum: 'x' };
    const vector = { dims, similarity: 'cosine', index: 'auto', model: made } as const;
    return {
      id: 1,
      name,
      type: 'VECTOR',
      inverted: null,
      analyzer: null,
      column: null,
      ...{ stored: false, vector },
    };
  };

  it('count in its segments, and in the cache if a model makes them', () => {
    const had = [field('a', 10, 'm')];
    expect(freshVectorBytes(had, had)).toEqual({ segment: 0, cache: 0 });
    expect(freshVectorBytes([...had, field('b', 100, 'm')], had)).toEqual({
      segment: 200,
      cache: 200,
    });
    expect(freshVectorBytes([field('b', 100, null)], had)).toEqual({ segment: 200, cache: 0 });
    expect(freshVectorBytes([field('a', 10, 'other')], had)).toEqual({ segment: 0, cache: 20 });
  });
});
