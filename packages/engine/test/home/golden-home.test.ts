/** Golden indexes of each format, published and opened by their location. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { writeOldCommit } from '../../../../test/support/old-commit.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const fixtures = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
const versions = readdirSync(fixtures).filter((name) => /^golden-v\d+$/.test(name));
const DEFINITION = `key: { partition: [team], identifier: [id] }
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
  - { name: service, type: KEYWORD, fast: true }
  - { name: tags, type: KEYWORD, fast: true }
  - { name: minutes, type: LONG }
  - { name: cost, type: DOUBLE }
  - { name: opened, type: DATE }
  - { name: resolved, type: BOOL }
  - { name: host, type: IP }
  - { name: codes, type: LONG }`;

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
  await lake.create(
    schemaOf({
      ...{ team: 'string', id: 'string', title: 'string', service: 'string', tags: 'string' },
      ...{ minutes: 'long', cost: 'double', opened: 'timestamptz', resolved: 'boolean' },
      ...{ host: 'string', codes: 'long' },
    }),
  );
  await lake.define(DEFINITION);
  await lake.backend.reindex({ index: 't' });
});
afterEach(async () => {
  await lake.close();
  vi.unstubAllEnvs();
});

/** Puts a golden index in place of the empty one, as one of the same table and definition. */
function putGolden(version: string): void {
  const generation = generationOf(lake.folder);
  const { checkpoint: empty } = readCommit(openLocalDirectory(generation))!;
  rmSync(generation, { recursive: true });
  cpSync(join(fixtures, version, 'index'), generation, { recursive: true });
  const directory = openLocalDirectory(generation);
  const commit = readCommit(directory)!;
  // columns are not stored today
  const fields = commit.fields.map((field) => ({ ...field, stored: field.name === 'title' }));
  const checkpoint = { ...commit.checkpoint!, schema: empty!.schema };
  const own = { ...commit, fields, checkpoint };
  const format = Number(version.at(-1));
  if (format === 1 || format === 2) writeOldCommit(directory, own, format);
  else writeCommit(directory, own);
}

async function totals(engine: LocalEngine, queries: readonly string[]): Promise<number[]> {
  const found = queries.map((query) => engine.search({ index: 't', query, limit: 1 }));
  return (await Promise.all(found)).map(({ total }) => Number(total));
}

const documents = (engine: LocalEngine) => Array.fromAsync(engine.exportDocuments({ index: 't' }));

describe.each(versions)('%s over a store', (version) => {
  it('answers as it did', async () => {
    putGolden(version);
    const expected = JSON.parse(readFileSync(join(fixtures, version, 'expected.json'), 'utf8'));
    await lake.backend.moveIndex({ index: 't', storage: join(lake.folder, 'home') });
    const engine = await openEngine(`file://${lake.folder}/home/t`, { threads: 0 });
    const questions = [
      ...expected.terms.map(({ field, term }: Record<string, string>) => `${field}:"${term}"`),
      ...expected.ranges.map(
        ({ field, lo, hi }: Record<string, string>) => `${field}:[${lo} TO ${hi}]`,
      ),
    ];
    const counts = [...expected.terms, ...expected.ranges].map(({ count }) => count);
    expect(await totals(engine, questions)).toEqual(counts);
    expect(await totals(lake.backend, questions)).toEqual(counts);
    const exported = await documents(engine);
    expect(exported).toHaveLength(expected.docs);
    expect(exported).toEqual(await documents(lake.backend));
    await engine.close();
  });
});
