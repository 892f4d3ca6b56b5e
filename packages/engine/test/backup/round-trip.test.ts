import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openObjectStore } from '@lakehouse-search/lake/internal';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addPages } from '../../../../test/support/files-named.ts';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { type Fault, S3Server } from '../../../lake/test/s3-server.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { storedValue } from '../home/stored-value.ts';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

const FORMER = fileURLToPath(new URL('../../../../fixtures/backups-v1', import.meta.url));

let lake: BackupLake;
let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start('vault');
});
beforeEach(async () => {
  server.buckets.get('vault')!.clear();
  lake = await openBackupLake();
});
afterEach(async () => {
  server.fault = () => null;
  server.ignoresConditions = false;
  vi.unstubAllEnvs();
  await lake.close();
});
afterAll(() => server.close());

const exported = async (index: string) =>
  Array.fromAsync(lake.backend.exportDocuments({ index })).then((all) => JSON.stringify(all));

/** Bytes of all bundles of a place. */
async function bundleBytes(target: string): Promise<number> {
  const store = await openObjectStore(target);
  const all = await Array.fromAsync(store.list('families/'));
  const bundles = all.filter(({ key }) => key.includes('/data/'));
  return bundles.reduce((sum, { size }) => sum + size, 0);
}

/** Every n-th request fails, each time in another way. */
function failEvery(n: number): void {
  const faults: readonly Fault[] = [
    { kind: 'status', status: 503, code: 'SlowDown' },
    { kind: 'lost' },
    { kind: 'short' },
    { kind: 'reset' },
  ];
  let requests = 0;
  server.fault = () => (++requests % n === 0 ? faults[(requests / n) % faults.length] : null);
}

function toServer(): string {
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  return 's3://vault/deep/backups';
}

describe('a repository', () => {
  it('is not made in a store that ignores conditions of writes', async () => {
    const target = toServer();
    server.ignoresConditions = true;
    await expect(lake.backend.backup({ index: 't', target })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(`"${target}/repository.json"`),
    });
    expect([...server.buckets.get('vault')!.keys()]).toEqual([]);
  });
});

describe.each([
  ['in a folder', () => lake.target],
  [
    'on a failing S3 server',
    () => {
      failEvery(7);
      return toServer();
    },
  ],
])('a backup %s', (_, place) => {
  it('is the index again after a drop, and catches up with its table', async () => {
    const { backend } = lake;
    const target = place();
    addPages(openLocalDirectory(generationOf(lake.folder)));
    await backend.setAlias({ alias: 'other', index: 't' });
    const request = { index: 'other', query: 'disk' };
    const { id } = await backend.createSavedQuery({ name: 'full disks', request });
    const made = await backend.backup({ index: 't', target, verify: true });
    const before = await exported('t');
    await backend.dropIndex({ index: 't' });
    await lake.change(1);
    const { embedded } = lake.models;
    const restored = await backend.restore({ target });
    expect(restored).toMatchObject({
      index: 't',
      backup: made.backup,
      num_docs: 300,
      file_count: made.file_count,
      aliases: ['other'],
      saved_queries: ['full disks'],
      left_out: [],
    });
    expect(await exported('other')).toBe(before);
    expect(await backend.listSavedQueries()).toMatchObject([{ id, request }]);
    expect(await backend.sync({ index: 't' })).toMatchObject({ inserted: 20 });
    expect(await backend.verify({ index: 't' })).toMatchObject({ equal: true, stale: 0 });
    // rows that did not change are not embedded again, rows that changed are
    expect(lake.models.embedded - embedded).toBeLessThan(40);
    await lake.expectRebuilt();
  });

  it('copies only what the place lacks', async () => {
    const { backend } = lake;
    const target = place();
    const first = await backend.backup({ index: 't', target });
    expect(first).toMatchObject({ files_copied: first.file_count, bytes_copied: first.bytes });
    const again = await backend.backup({ index: 't', target });
    expect(again).toMatchObject({ files_copied: 0, bytes_copied: 0, bytes: first.bytes });
    await lake.change(1);
    await backend.sync({ index: 't' });
    const stored = await bundleBytes(target);
    const third = await backend.backup({ index: 't', target });
    expect(third.files_copied).toBeGreaterThan(0);
    expect(third.bytes_copied).toBeLessThan(third.bytes);
    const added = (await bundleBytes(target)) - stored;
    // bundles also have what opening them needs
    expect(added).toBeGreaterThan(third.bytes_copied);
    expect(added).toBeLessThan(1.5 * third.bytes_copied);
    const list = await backend.listBackups({ target });
    const made = [third, again, first].map(({ backup }) => backup);
    expect(list.map(({ backup }) => backup)).toEqual(made);
    const as = { target, as: 'former', aliases: 'none' } as const;
    await backend.restore({ ...as, backup: first.backup });
    const { total } = await backend.search({ index: 'former', query: '*:*' });
    expect(total).toBe(300);
    expect(await backend.verify({ index: 't' })).toMatchObject({ equal: true });
  });
});

describe('a place of the former format', () => {
  it('is restored from, backed up to, and refused by older versions then', async () => {
    const { backend, target } = lake;
    cpSync(FORMER, target, { recursive: true });
    const former = await backend.listBackups({ target });
    expect(former.map(({ num_docs, file_count }) => [num_docs, file_count])).toEqual([
      [40, 66],
      [20, 24],
    ]);
    const [{ backup }] = former;
    const restored = await backend.restore({ target, as: 'old' });
    expect(restored).toMatchObject({ backup, aliases: ['other'], saved_queries: ['full disks'] });
    const { total } = await backend.search({ index: 'old', query: 'changed OR host' });
    expect(total).toBe(40);
    const as = { target, aliases: 'none' } as const;
    await backend.restore({ ...as, backup: former[1].backup, as: 'older' });
    expect((await backend.search({ index: 'older', query: 'disk' })).total).toBe(20);
    const made = await backend.backup({ index: 't', target });
    const all = await backend.listBackups({ target });
    expect(all.map((one) => one.backup)).toEqual([made.backup, ...former.map((f) => f.backup)]);
    expect(storedValue(readFileSync(join(target, 'repository.json')))).toEqual({
      ...{ format: 'lhs-repository', version: 2 },
    });
  });
});

describe('an index that publishes its commits in the place of its backups', () => {
  it('is backed up without a copy, and restored after its drop', async () => {
    const { backend, target, definition } = lake;
    const own = definition.replace('index: t', 'index: own');
    await backend.createIndex({ definition: `${own}storage: ${target}\n` });
    await backend.reindex({ index: 'own' });
    const before = await bundleBytes(target);
    const made = await backend.backup({ index: 'own', target, verify: true });
    expect(made).toMatchObject({ num_docs: 300, files_copied: 0, bytes_copied: 0 });
    expect(await bundleBytes(target)).toBe(before);
    const exportedBefore = await exported('own');
    await lake.change(1);
    await backend.sync({ index: 'own' });
    await backend.compact({ index: 'own' });
    await backend.dropIndex({ index: 'own' });
    const restored = await backend.restore({ target, aliases: 'none', as: 'again' });
    expect(restored).toMatchObject({ backup: made.backup, file_count: made.file_count });
    expect(await exported('again')).toBe(exportedBefore);
    expect(await backend.pruneBackups({ target, keep: 1 })).toMatchObject({ backups_kept: 1 });
    await backend.dropIndex({ index: 'again' });
    await backend.restore({ target, aliases: 'none', as: 'third' });
  });
});

describe('a restore', () => {
  it('under another name leaves the original alone', async () => {
    const { backend, target } = lake;
    await backend.backup({ index: 't', target });
    const before = await exported('t');
    const { index } = await backend.restore({ target, as: 'second' });
    expect([index, await exported('second')]).toEqual(['second', before]);
    await lake.change(1);
    await backend.sync({ index: 'second' });
    expect(await exported('t')).toBe(before);
    expect(await backend.verify({ index: 'second' })).toMatchObject({ equal: true });
    await backend.dropIndex({ index: 'second' });
    expect(await exported('t')).toBe(before);
  });

  it('keeps the text of the definition but for the name', async () => {
    const { backend, target } = lake;
    await backend.backup({ index: 't', target });
    await backend.restore({ target, as: 'second' });
    await backend.backup({ index: 'second', target });
    const pins = readdirSync(join(target, 'pins'), { recursive: true }) as string[];
    const name = pins.find((one) => one.endsWith('.second.json'))!;
    const [, body] = readFileSync(join(target, 'pins', name), 'utf8').split('\n');
    const { definition } = JSON.parse(body) as { definition: string };
    expect(definition).toContain('\nindex: second\n');
    expect(definition).toContain('# a remark that a restore keeps');
  });

  it('refuses names that are taken, and restores the free ones if it may', async () => {
    const { backend, target } = lake;
    for (const alias of ['free', 'kept']) await backend.setAlias({ alias, index: 't' });
    for (const name of ['first', 'last']) {
      await backend.createSavedQuery({ name, request: { index: 'kept', query: name } });
    }
    await backend.backup({ index: 't', target });
    await backend.dropAlias({ alias: 'free' });
    const [first] = await backend.listSavedQueries();
    await backend.deleteSavedQuery({ id: first.id });
    const request = { target, as: 'second' };
    const files = readdirSync(join(lake.folder, 'data', 'indexes'));
    await expect(backend.restore({ target })).rejects.toMatchObject({
      code: 'index_exists',
      message: expect.stringContaining('"t"'),
    });
    await expect(backend.restore(request)).rejects.toMatchObject({
      code: 'index_exists',
      message: 'the alias "kept" of the backup is taken: it belongs to index "t"',
    });
    expect(await backend.listIndexes()).toHaveLength(1);
    expect(readdirSync(join(lake.folder, 'data', 'indexes'))).toEqual(files);
    expect(await backend.restore({ ...request, aliases: 'free' })).toMatchObject({
      aliases: ['free'],
      saved_queries: ['first'],
      left_out: ['kept', 'last'],
    });
    expect(await backend.listAliases()).toEqual([
      { alias: 'free', index: 'second' },
      { alias: 'kept', index: 't' },
    ]);
    // its alias means another index now: the query is that of the restored one
    expect(await backend.listSavedQueries()).toMatchObject([
      { name: 'first', request: { index: 'second' } },
      { name: 'last', request: { index: 'kept' } },
    ]);
    const none = await backend.restore({ ...request, as: 'third', aliases: 'none' });
    expect(none).toMatchObject({
      aliases: [],
      saved_queries: [],
      left_out: ['free', 'kept', 'first', 'last'],
    });
  });

  it('asks for the index if the place has several', async () => {
    const { backend, target } = lake;
    await backend.backup({ index: 't', target });
    await backend.restore({ target, as: 'second' });
    await backend.backup({ index: 'second', target });
    await expect(backend.restore({ target, as: 'third' })).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: 'indexes: second, t',
    });
    const third = await backend.restore({ target, index: 'second', as: 'third' });
    expect(third.num_docs).toBe(300);
  });

  it('that is aborted leaves nothing', async () => {
    const { backend, target } = lake;
    await backend.backup({ index: 't', target });
    const home = join(lake.folder, 'data', 'indexes');
    const files = readdirSync(home);
    const stop = new AbortController();
    const progress = () => stop.abort();
    const request = { target, as: 'second' };
    const call = { signal: stop.signal, progress };
    await expect(backend.restore(request, call)).rejects.toMatchObject({ code: 'interrupted' });
    expect(readdirSync(home)).toEqual(files);
    expect(await backend.listIndexes()).toHaveLength(1);
  });
});

describe('a backup of an index that is altered', () => {
  const altered = async (change: (definition: string) => string) => {
    const { backend } = lake;
    const definition_yaml = change(lake.definition);
    const request = { index: 't', definition_yaml, base_dir: lake.folder, apply: true };
    expect(await backend.alterIndex(request)).toMatchObject({ applied: true });
  };

  it('before it has the new definition', async () => {
    const { backend, target } = lake;
    await altered((text) => text.replace('type: LONG', 'type: DOUBLE'));
    await backend.backup({ index: 't', target });
    await backend.restore({ target, as: 'second', aliases: 'none' });
    const { fields } = await backend.describeIndex({ index: 'second' });
    expect(fields).toContainEqual(expect.objectContaining({ name: 'size', type: 'DOUBLE' }));
    expect(await backend.verify({ index: 'second' })).toMatchObject({ equal: true });
  });

  it('while it copies has the definition of the commit that it copies', async () => {
    const { backend, target } = lake;
    let altering: Promise<void> | undefined;
    const progress = () => {
      altering ??= altered((text) => text.replace('type: LONG', 'type: DOUBLE'));
    };
    await backend.backup({ index: 't', target, verify: true }, { progress });
    await altering;
    await backend.restore({ target, as: 'second', aliases: 'none' });
    const { fields } = await backend.describeIndex({ index: 'second' });
    expect(fields).toContainEqual(expect.objectContaining({ name: 'size', type: 'LONG' }));
    expect(await backend.verify({ index: 'second' })).toMatchObject({ equal: true });
    expect(await backend.verify({ index: 't' })).toMatchObject({ equal: true });
  });
});

describe('callers with a list of indexes', () => {
  const call = { principal: { subject: 'u', indexes: ['mine'], scopes: ['admin'] as const } };

  it('see, delete and restore backups of these indexes only', async () => {
    const { backend, target } = lake;
    await backend.backup({ index: 't', target });
    await backend.restore({ target, as: 'mine' });
    await backend.backup({ index: 'mine', target });
    await backend.backup({ index: 'mine', target });
    const denied = { code: 'permission_denied' };
    await expect(backend.backup({ index: 't', target }, call)).rejects.toMatchObject(denied);
    const request = { target, index: 't', as: 'mine' };
    await expect(backend.restore(request, call)).rejects.toMatchObject(denied);
    await expect(backend.restore({ target, as: 'other' }, call)).rejects.toMatchObject(denied);
    const pruned = await backend.pruneBackups({ target, keep: 1 }, call);
    expect(pruned).toMatchObject({ backups_kept: 1, backups_removed: [expect.any(String)] });
    const listed = await backend.listBackups({ target }, call);
    expect(listed).toMatchObject([{ index: 'mine' }]);
    expect(await backend.listBackups({ target })).toHaveLength(2);
  });
});

describe('a backend without a backup target', () => {
  it('says so in its status, and refuses backups as unsupported', async () => {
    const { backend } = lake;
    const status = await backend.backupStatus({ index: 't' });
    expect(status).toEqual({ configured: false, present: false });
    await expect(backend.backup({ index: 't' })).rejects.toMatchObject({
      code: 'unsupported',
      status: 501,
    });
    const empty = await backend.backupStatus({ index: 't', target: lake.target });
    expect(empty).toEqual({ configured: true, present: false });
    expect(existsSync(lake.target)).toBe(false);
  });
});
