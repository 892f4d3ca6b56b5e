import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTable, type SourceTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, FaultyDirectory } from '../../../../test/support/faulty-directory.ts';
import { hasShared, tablePath } from '../../../../test/support/shared-tables.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { currentGeneration, takeLock } from '../../src/open/index-folder.ts';
import type { OpenDirectory } from '../../src/open/open-index.ts';
import { requireDefinition } from '../../src/schema/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { buildGeneration } from '../../src/sync/build-generation.ts';
import { requireRoom } from '../../src/sync/disk-room.ts';

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
  const lock = takeLock(folder, 't', 'reindex');
  const made: FaultyDirectory[] = [];
  const models = { baseDir: folder, openEmbedder: tinyModels().open };
  const openDirectory: OpenDirectory = (path, fence) => {
    const directory = new FaultyDirectory(openLocalDirectory(path, fence), fault);
    made.push(directory);
    return directory;
  };
  try {
    const index = {
      folder,
      definition,
      definitionVersion: 1,
      table,
      lock,
      openDirectory,
      ...models,
    };
    await buildGeneration(index, undefined, 0, {});
    return { bytes: made[0].bytes };
  } finally {
    lock.release();
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
  const room = (former: number, free: number, rowBytes?: number) => () =>
    requireRoom(
      set as unknown as Parameters<typeof requireRoom>[0],
      former,
      free,
      '/data/x',
      rowBytes,
    );

  it('refuses with 412, naming the folder and both figures', () => {
    expect(room(0, 5_000_000)).not.toThrow();
    expect(room(0, 4_999_999)).toThrow(
      'the disk of "/data/x" is too full to reindex: about 5.0 MB are needed, 5.0 MB are free',
    );
    expect(room(0, 7_000_000, 2000)).not.toThrow();
    expect(room(0, 6_900_000, 2000)).toThrow('about 7.0 MB are needed, 6.9 MB are free');
    expect(room(10_000_000, 22_000_000)).not.toThrow();
    expect(room(10_000_000, 21_000_000)).toThrow('about 22.0 MB are needed, 21.0 MB are free');
    expect(room(10_000_000, 1)).toThrow(
      expect.objectContaining({ code: 'disk_short', status: 412 }),
    );
  });
});
