import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { upsertRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPages } from '../../../../test/support/files-named.ts';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { coldStore, OLD } from '../tier/cold-lake.ts';

/** A folder of another file system than that of the lakes. */
const OTHER_DISK = ['/var/tmp', '/dev/shm'].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(tmpdir()).dev,
);

const SCHEMA = schemaOf({ id: 'long', title: 'string' });

const FIELDS = 'fields: [{ name: title, type: TEXT }]';

let lake: SmallLake;
let backend: LocalEngine;
beforeAll(async () => {
  lake = await filled();
  ({ backend } = lake);
});
afterAll(() => lake.close());

async function filled(): Promise<SmallLake> {
  const own = await openSmallLake();
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, title: `night train ${id}` }));
  await own.create(SCHEMA, { rows });
  await own.build(FIELDS);
  return own;
}

const refused = (code: string) => expect.objectContaining({ code });
const exported = (index: string, of = backend) => Array.fromAsync(of.exportDocuments({ index }));
const isSound = (index: string) => backend.verify({ index, deep: true });

/** The inodes of the components of all indexes, each with its number of names. */
function inodes(): ReadonlyMap<number, number> {
  const home = join(backend.dataDir, 'indexes');
  const paths = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const files = paths.map((path) => statSync(join(home, path))).filter((stat) => stat.isFile());
  return new Map(files.map(({ ino, nlink }) => [ino, nlink]));
}

describe('a cloned index', () => {
  it('has the same documents and files, and lives on when the first is dropped', async () => {
    addPages(openLocalDirectory(generationOf(lake.folder)));
    const before = inodes();
    const { bytes, num_docs } = await backend.describeIndex({ index: 't' });
    const done = await backend.cloneIndex({ index: 't', name: 'copy' });
    expect(done).toMatchObject({ cloned_from: 't', index_generation: 1, num_docs, bytes });
    expect(done.snapshot).toBe(String(await lake.head()));
    // the commit, CURRENT and the lock are files of each index
    expect(inodes().size - before.size).toBeLessThan(4);
    expect([...inodes().values()].filter((names) => names === 2).length).toBeGreaterThan(3);
    const documents = await exported('t');
    expect(await exported('copy')).toEqual(documents);
    await upsertRows(lake.source, { kind: 'rows', rows: [{ id: 7, title: 'day train' }] });
    await backend.sync({ index: 't' });
    await backend.compact({ index: 't' });
    expect(await exported('copy')).toEqual(documents);
    await backend.cloneIndex({ index: 't', name: 'second' });
    await backend.dropIndex({ index: 't' });
    expect(await isSound('second')).toMatchObject({ equal: true, faults: [] });
    await backend.sync({ index: 'copy' });
    expect(await exported('copy')).toEqual(await exported('second'));
    expect(await isSound('copy')).toMatchObject({ equal: true, faults: [] });
    await lake.build(FIELDS);
    expect(await exported('copy')).toEqual(await exported('t'));
  });

  it('has its own name in its definition, and no aliases, saved queries or jobs', async () => {
    await backend.setAlias({ alias: 'live', index: 't' });
    await backend.cloneIndex({ index: 'live', name: 'named' });
    expect(await backend.listAliases()).toEqual([{ alias: 'live', index: 't' }]);
    expect(await backend.listJobs({ index: 'named' })).toEqual([]);
    expect((await backend.describeIndex({ index: 'named' })).index).toBe('named');
    const other = await openEngine(backend.dataDir, { threads: 0 });
    expect(await exported('named', other)).toEqual(await exported('t'));
    await other.close();
    await backend.reindex({ index: 'named' });
    expect(await exported('named')).toEqual(await exported('t'));
  });

  it.skipIf(OTHER_DISK === undefined)('is copied from another file system', async () => {
    const disk = mkdtempSync(join(OTHER_DISK!, 'lhs-clone-'));
    const own = await filled();
    const home = join(own.backend.dataDir, 'indexes');
    const documents = await exported('t', own.backend);
    await own.backend.close();
    const [uuid] = readdirSync(home);
    cpSync(join(home, uuid), disk, { recursive: true });
    rmSync(join(home, uuid), { recursive: true });
    symlinkSync(disk, join(home, uuid));
    const engine = await openEngine(own.backend.dataDir, { threads: 0 });
    const done = await engine.cloneIndex({ index: 't', name: 'copy' });
    expect(done.bytes_copied).toBeGreaterThanOrEqual(done.bytes);
    rmSync(disk, { recursive: true });
    expect(await exported('copy', engine)).toEqual(documents);
    expect(await engine.verify({ index: 'copy', deep: true })).toMatchObject({ equal: true });
    await engine.close();
    await own.close();
  });

  it('is refused, and leaves nothing behind', async () => {
    const before = await backend.listIndexes();
    const folders = () => readdirSync(join(backend.dataDir, 'indexes')).length;
    const count = folders();
    const clone = (index: string, name: string, call = {}) =>
      backend.cloneIndex({ index, name }, call);
    for (const name of ['t', 'live']) {
      await expect(clone('t', name)).rejects.toEqual(refused('index_exists'));
    }
    await expect(clone('none', 'x')).rejects.toEqual(refused('index_not_found'));
    const principal = { subject: 'u', scopes: [], indexes: ['t'] };
    await expect(clone('t', 'x', { principal })).rejects.toEqual(refused('permission_denied'));
    const signal = AbortSignal.abort();
    await expect(clone('t', 'x', { signal })).rejects.toEqual(refused('interrupted'));
    const source = JSON.stringify(lake.source);
    const definition = `version: 1\nindex: empty\nsource: ${source}\n${FIELDS}\n`;
    await backend.createIndex({ definition });
    await expect(clone('empty', 'x')).rejects.toEqual(refused('index_not_built'));
    await backend.dropIndex({ index: 'empty' });
    expect(await backend.listIndexes()).toEqual(before);
    expect(folders()).toBe(count);
  });
});

describe('a clone of an index with cold windows', () => {
  const store = coldStore();

  it('has them on disk, and needs their store no more', async () => {
    const cold = await store.open();
    try {
      await cold.build(1);
      const answers = await cold.answersOf('t');
      await cold.move({ cool: OLD });
      const own = cold.lake.backend;
      await own.cloneIndex({ index: 't', name: 'warm' });
      await own.dropIndex({ index: 't' });
      evictColdBytes(0);
      expect(await cold.answersOf('warm')).toEqual(answers);
      const { windows } = await own.windowStatus({ index: 'warm' });
      expect(new Set(windows.map(({ tier }) => tier))).toEqual(new Set(['hot']));
    } finally {
      await cold.close();
    }
  });
});
