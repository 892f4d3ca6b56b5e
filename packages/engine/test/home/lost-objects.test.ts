/** Objects of a published index that its store loses while its writer has their bytes. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const DAY = 86_400_000;
let now = Date.UTC(2026, 0, 1);
const clock = {
  now: () => now,
  ticks: () => now,
  sleep: () => Promise.resolve(),
  random: () => 0.5,
};

let lake: SmallLake;
let warned: ReturnType<typeof vi.spyOn>;
beforeEach(async () => {
  lake = await openSmallLake({ clock });
  warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  await lake.create(schemaOf({ id: 'string' }));
  await lake.define(`storage: ${lake.folder}/home\nfields: [{ name: id, type: KEYWORD }]`);
  for (const id of ['k0', 'k1']) {
    await appendRows(lake.source, { kind: 'rows', rows: [{ id }] });
    if (id === 'k0') await lake.backend.reindex({ index: 't' });
    else await lake.backend.sync({ index: 't' });
  }
});
afterEach(async () => {
  await lake.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** How many rows a reader with an empty cache finds. */
async function rowsThere(): Promise<number | undefined> {
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, `cache-${Math.random()}`));
  const engine = await openEngine(`file://${lake.folder}/home/t`, { threads: 0 });
  try {
    return (await engine.search({ index: 't', query: '*' })).total;
  } finally {
    await engine.close();
  }
}

/** What the diagnosis says of the store. */
async function lost(): Promise<readonly string[]> {
  const findings = await lake.backend.diagnose({ index: 't' });
  return findings.filter(({ kind }) => kind === 'published').map(({ detail }) => detail);
}

/** The newest object of a kind. */
function newestOf(kind: 'commits' | 'data' | 'indexes' | 'pins' | 'repository'): string {
  const names = readdirSync(join(lake.folder, 'home'), { recursive: true, encoding: 'utf8' });
  const of = names.filter((name) => new RegExp(`${kind}(/[\\dt]|/.*json|.json)`).test(name)).sort();
  return join(lake.folder, 'home', of.at(-1)!);
}

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[20]! ^= 1;
  writeFileSync(path, bytes);
}

const MISSPELT = (path: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replace('KEYWORD', 'KEYGORD'));

const HARMS = {
  'a lost bundle': ['data', rmSync],
  'a lost commit': ['commits', rmSync],
  'a cut bundle': ['data', (path: string) => writeFileSync(path, 'cut')],
  'a damaged commit': ['commits', (path: string) => writeFileSync(path, '{}')],
  'a flipped bit of a commit': ['commits', MISSPELT],
} as const;

const SMALL = {
  'a flipped bit of its name': ['indexes', flip],
  'a cut name': ['indexes', (path: string) => writeFileSync(path, '')],
  'a flipped bit of the mark of its place': ['repository', flip],
  'a lost mark of its place': ['repository', rmSync],
} as const;

describe('a published index', () => {
  it.each(Object.entries(SMALL))('is without %s after a repair', async (_, [kind, harm]) => {
    const path = newestOf(kind);
    const was = readFileSync(path);
    harm(path);
    const faults = [`"${path}" is lost or damaged: a repair sends it again`];
    expect(await lake.backend.verify({ index: 't' })).toMatchObject({ equal: false, faults });
    expect(await lost()).toEqual(faults);
    expect(await lake.backend.verify({ index: 't', repair: true })).toMatchObject({ equal: true });
    expect(readFileSync(path)).toEqual(was);
    expect(await rowsThere()).toBe(2);
    expect(await lake.backend.verify({ index: 't' })).toMatchObject({ equal: true, faults: [] });
  });

  it.each([flip, rmSync])(
    'has the pin of a branch again after a repair of this: %o',
    async (harm) => {
      await lake.backend.cloneIndex({ index: 't', name: 'b' });
      const path = newestOf('pins');
      const { number, attempt } = JSON.parse(readFileSync(path, 'utf8'));
      harm(path);
      const faults = [`"${path}" is lost or damaged: a repair sends it again`];
      expect(await lake.backend.verify({ index: 'b' })).toMatchObject({ equal: false, faults });
      expect(await lake.backend.verify({ index: 'b', repair: true })).toMatchObject({
        equal: true,
      });
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ number, attempt });
      expect(await lake.backend.verify({ index: 'b' })).toMatchObject({ equal: true, faults: [] });
    },
  );

  it.each(Object.entries(HARMS))('has %s again after a repair', async (_, [kind, harm]) => {
    const path = newestOf(kind);
    harm(path);
    await expect(rowsThere()).rejects.toMatchObject({
      code: 'corrupt_index',
      message: expect.stringContaining(path),
    });
    const found = await lake.backend.verify({ index: 't' });
    expect(found).toMatchObject({
      equal: false,
      faults: [`"${path}" is lost or damaged: a repair sends it again`],
    });
    expect(await lost()).toEqual(found.faults);
    expect(await lake.backend.verify({ index: 't', repair: true })).toMatchObject({ equal: true });
    expect(await rowsThere()).toBe(2);
    expect(await lost()).toEqual([]);
    expect(await lake.backend.verify({ index: 't' })).toMatchObject({ equal: true, faults: [] });
  });

  it('has a damaged byte again after a repair, which a deep verify finds', async () => {
    const path = newestOf('data');
    flip(path);
    await expect(rowsThere()).rejects.toMatchObject({
      code: 'corrupt_index',
      hint: 'where the index is written, a repair restores it',
      next: [{ step: 'repair' }],
    });
    expect(await lake.backend.verify({ index: 't' })).toMatchObject({ equal: true });
    const { faults } = await lake.backend.verify({ index: 't', deep: true });
    expect(faults).toEqual([expect.stringContaining(path)]);
    await lake.backend.verify({ index: 't', repair: true });
    expect(await rowsThere()).toBe(2);
  });

  it.each(Object.entries(HARMS))('has %s again after the next sync of a day', async (_, harm) => {
    const path = newestOf(harm[0]);
    harm[1](path);
    await lake.backend.sync({ index: 't' });
    expect(warned).not.toHaveBeenCalled();
    now += DAY;
    expect(await lake.backend.sync({ index: 't' })).toMatchObject({
      snapshots_applied: 0,
      published_commit: 3,
    });
    expect(warned.mock.calls).toEqual([
      [`the store has lost "${path}": its files are sent again`, 'LhsWarning'],
    ]);
    expect(await rowsThere()).toBe(2);
    expect(await lake.backend.sync({ index: 't' })).not.toHaveProperty('published_commit');
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it('has its mark again after a repair', async () => {
    const mark = join(lake.folder, 'home', 'repository.json');
    writeFileSync(mark, 'cut');
    await expect(rowsThere()).rejects.toMatchObject({
      code: 'corrupt_index',
      next: [{ step: 'repair' }],
    });
    await lake.backend.verify({ index: 't', repair: true });
    const engine = await openEngine(`file://${lake.folder}/home`, { threads: 0 });
    expect((await engine.listIndexes()).map(({ name }) => name)).toEqual(['t']);
    await engine.close();
  });

  it('is found without its name beside objects of others', async () => {
    writeFileSync(join(newestOf('commits'), '..', 'notes.txt'), 'mine');
    rmSync(join(lake.folder, 'home', 'indexes', 't'));
    await appendRows(lake.source, { kind: 'rows', rows: [{ id: 'k2' }] });
    await lake.backend.sync({ index: 't' });
    expect(await rowsThere()).toBe(3);
    // nothing else is sent again
    expect(JSON.parse(readFileSync(newestOf('commits'), 'utf8')).bundles.length).toBeGreaterThan(2);
  });

  it('names a lost commit to another writer', async () => {
    cpSync(join(lake.folder, 'data'), join(lake.folder, 'copy'), { recursive: true });
    await appendRows(lake.source, { kind: 'rows', rows: [{ id: 'k2' }] });
    await lake.backend.sync({ index: 't' });
    for (const kind of ['commits', 'data'] as const) {
      const path = newestOf(kind);
      const bytes = readFileSync(path);
      rmSync(path);
      const copy = await openEngine(join(lake.folder, 'copy'), { threads: 0 });
      await expect(copy.sync({ index: 't' })).rejects.toMatchObject({
        code: 'corrupt_index',
        message: `"${path}" of a published index is gone`,
      });
      await copy.close();
      writeFileSync(path, bytes);
    }
  });
});
