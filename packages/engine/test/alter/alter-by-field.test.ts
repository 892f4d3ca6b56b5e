// @module-tag campaign
// @module-tag slow
/**
 * An index that was altered field by field is the index that a reindex under the new definition
 * builds: documents, and hits and scores of random searches; over several segments, deleted
 * documents, one and three shards, both disk formats, with syncs before, during and after.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import type { TableConfig } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { tableToFormatOne } from '../../../../test/support/format-1.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { currentGeneration, indexFolder } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { definitionText, randomFields, randomSearch } from './random-definitions.ts';
import { makeWideTable, type WideTable } from './wide-table.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_122);
const CHANGES = byEffort(3, 8, 400);
const SEARCHES = byEffort(25, 200, 1000);

let folder: string;
let table: WideTable;
let backend: LocalEngine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-alter-'));
  table = await makeWideTable(join(folder, 'lake'));
  backend = await openEngine(join(folder, 'data'), {
    create: true,
    threads: 0,
    openEmbedder: tinyModels().open,
    saveMs: 0,
  });
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const create = (definition: string) => backend.createIndex({ definition, base_dir: folder });

/** Rewrites some segments of an index in the former disk format. */
async function toFormatOne(index: string, every: number): Promise<void> {
  const registry = new Registry(backend.dataDir);
  const home = indexFolder(backend.dataDir, registry.get(index).uuid);
  registry.close();
  const directory = openLocalDirectory(currentGeneration(home)!.path);
  const chosen = (segment: number) => segment % every === 0;
  await tableToFormatOne(directory, table.source as TableConfig, chosen);
}

/** Syncs up to a snapshot; false if the definition was replaced meanwhile. */
async function synced(index: string, until: string): Promise<boolean> {
  try {
    await backend.sync({ index, until });
    return true;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_busy') return false;
    throw error;
  }
}

async function documentsOf(index: string): Promise<readonly unknown[]> {
  const all = await Array.fromAsync(backend.exportDocuments({ index }));
  const texts = all.map((document) => JSON.stringify(document));
  return texts.sort();
}

/** Hits of a search, or the code of its error. */
async function answer(request: SearchRequest): Promise<unknown> {
  try {
    const { hits, total } = await backend.search(request);
    return { total, hits };
  } catch (error) {
    if (error instanceof LhsError) return error.code;
    throw error;
  }
}

async function expectEqual(altered: string, built: string, seed: number): Promise<void> {
  expect(await documentsOf(altered)).toEqual(await documentsOf(built));
  const random = seededBelow(seed);
  for (let i = 0; i < SEARCHES; i++) {
    const request = randomSearch(random);
    const [found, wanted] = await Promise.all(
      [altered, built].map((index) => answer({ index, ...request })),
    );
    expect(found, JSON.stringify(request)).toEqual(wanted);
  }
}

describe('an index that is altered by field', () => {
  it.each(Array.from({ length: CHANGES }, (_, number) => number))(
    'equals a reindex under the new definition, change %i',
    async (number) => {
      const random = seededBelow(SEED + number);
      const [index, fresh] = [`altered-${number}`, `fresh-${number}`];
      const shards = number % 2 === 0 ? 1 : 3;
      const { source, snapshots } = table;
      const before = randomFields(random);
      await create(definitionText(random, index, source, shards, before));
      await backend.reindex({ index, as_of: snapshots[0] });
      const step = 1 + random(5);
      for (const until of snapshots.slice(1, step + 1)) await backend.sync({ index, until });
      if (number % 4 > 1) await toFormatOne(index, 1 + random(2));
      const after = randomFields(random, before);
      const definition_yaml = definitionText(random, index, source, shards, after);
      const during: Promise<boolean>[] = [];
      const progress = () => {
        if (during.length === 0) during.push(synced(index, snapshots[step + 1]));
      };
      const request = { index, definition_yaml, base_dir: folder, apply: true };
      const plan = await backend.alterIndex(request, number % 3 === 0 ? {} : { progress });
      expect(plan).toMatchObject({ applied: true, reindex_triggered: false });
      await Promise.all(during);
      const { doc_count: deep_documents } = await backend.sync({ index });
      const found = await backend.verify({ index, deep: true });
      expect(found).toMatchObject({ equal: true, deep_documents, faults: [] });
      await create(definition_yaml.replace(`index: ${index}`, `index: ${fresh}`));
      await backend.reindex({ index: fresh });
      await backend.compact({ index });
      await expectEqual(index, fresh, SEED - number);
      await backend.dropIndex({ index });
      await backend.dropIndex({ index: fresh });
    },
    600_000,
  );
});
