import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { digestOf } from '../../src/home/backups.ts';
import type { PublishedCommit } from '../../src/home/chain.ts';
import type { ChunkedFile, FormerManifest } from '../../src/home/former-backups.ts';
import type { BackupManifest } from '../../src/home/manifest.ts';
import { storedValue } from '../home/stored-value.ts';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

const FORMER = fileURLToPath(new URL('../../../../fixtures/backups-v1', import.meta.url));

/**
 * Manifests, chunks and bundles as somebody may write them who can write to the place of backups.
 */
let lake: BackupLake;
let good: FormerManifest;
beforeAll(async () => {
  lake = await openBackupLake();
  // makes the key that signs
  await lake.backend.backup({ index: 't', target: lake.target });
});
afterAll(() => lake.close());
beforeEach(() => {
  rmSync(lake.target, { recursive: true, force: true });
});

/** Copies backups of the former format, all but the newest without a manifest. */
function plantFormer(): void {
  cpSync(FORMER, lake.target, { recursive: true });
  const folder = join(lake.target, 'backups', 't');
  for (const name of readdirSync(folder).sort().slice(0, -1)) rmSync(join(folder, name));
  good = JSON.parse(readFileSync(manifestPath(), 'utf8').split('\n')[1]) as FormerManifest;
}

/** The only manifest of a place, or the only pin. */
function manifestPath(): string {
  const names = readdirSync(lake.target, { recursive: true }) as string[];
  const [path, ...others] = names.filter((name) => /^(backups|pins)\/.*\.json$/.test(name));
  expect(others).toEqual([]);
  return join(lake.target, path);
}

/** Writes a manifest with a right checksum. */
function plant(body: unknown, head: object = {}): void {
  const text = JSON.stringify(body);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const first = JSON.stringify({ format: 'lhs-backup', version: 1, sha256, ...head });
  writeFileSync(manifestPath(), `${first}\n${text}\n`);
}

const chunkPath = (sha256: string) => join(lake.target, 'chunks', sha256.slice(0, 2), sha256);

/** Writes a chunk, and returns what names it. */
function plantChunk(bytes: Uint8Array) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  mkdirSync(join(lake.target, 'chunks', sha256.slice(0, 2)), { recursive: true });
  writeFileSync(chunkPath(sha256), bytes);
  return { sha256, length: bytes.length };
}

const everything = () =>
  (readdirSync(lake.folder, { recursive: true }) as string[]).filter(
    (name) => !name.startsWith('backups'),
  );

async function expectRefused(code: string, words: string): Promise<void> {
  const before = everything().sort();
  const restored = lake.backend.restore({ target: lake.target, as: 'again', aliases: 'none' });
  const message = expect.stringContaining(words);
  await expect(restored).rejects.toMatchObject({ code, message });
  expect(everything().sort()).toEqual(before);
  expect(await lake.backend.listIndexes()).toHaveLength(1);
}

/** The largest file that the commit names. */
const component = () =>
  good.files.filter(({ crc }) => crc !== undefined).reduce((a, b) => (b.length > a.length ? b : a));
const withFile = (path: string, change: Partial<ChunkedFile> | null): object => ({
  ...good,
  files: good.files.flatMap((file) =>
    file.path !== path ? [file] : change === null ? [] : [{ ...file, ...change }],
  ),
});

describe('a manifest of a former backup is refused', () => {
  beforeEach(plantFormer);

  it.each([
    '../../evil',
    'generation/../../../evil',
    'generation/..',
    '/etc/passwd',
    'generation/a/b',
    'generation/A\0b',
    'embeddings/../000001.keys',
    'CURRENT',
    'writer.lock',
  ])('with the path %j', async (path) => {
    plant(withFile(component().path, { path }));
    await expectRefused('corrupt_index', 'expected a path of a file of an index');
    expect(existsSync(join(lake.folder, 'evil'))).toBe(false);
  });

  it('with a path twice', async () => {
    plant({ ...good, files: [...good.files, good.files[1]] });
    await expectRefused('corrupt_index', 'each path once');
  });

  it('of an unknown version, by the version', async () => {
    plant(good, { version: 3 });
    await expectRefused('unsupported', 'has format version 3, expected 2 or lower');
    plant(good, { version: 2 });
    await expectRefused('corrupt_index', 'it has another version');
    plant(good, { format: 'other' });
    await expectRefused('corrupt_index', 'it is no manifest of a backup');
  });

  it('whose bytes were changed', async () => {
    const text = readFileSync(manifestPath(), 'utf8');
    writeFileSync(manifestPath(), text.replace('"num_docs":', '"num_docs":1'));
    await expectRefused('corrupt_index', 'its SHA-256 differs');
    writeFileSync(manifestPath(), text.slice(0, -20));
    await expectRefused('corrupt_index', 'its SHA-256 differs');
    writeFileSync(manifestPath(), '');
    await expectRefused('corrupt_index', 'it is not JSON');
  });

  it('that is of another index or backup than its name says', async () => {
    plant({ ...good, index: 'other' });
    await expectRefused('corrupt_index', 'of index "other"');
  });

  it('that claims 10 GB, before anything is written', async () => {
    const length = 10 * 2 ** 30;
    plant(withFile(component().path, { length }));
    await expectRefused('corrupt_index', 'as many as its chunks have');
    const [chunk] = component().chunks;
    plant(withFile(component().path, { length, chunks: [{ ...chunk, length }] }));
    await expectRefused('corrupt_index', 'at most 16777216');
    const many = Array.from({ length: 640 }, () => ({ ...chunk, length: 16 * 2 ** 20 }));
    plant(withFile(component().path, { length, chunks: many }));
    await expectRefused('corrupt_index', 'expected 16777216');
    // a real chunk, repeated: the commit says another length
    const zeros = plantChunk(new Uint8Array(2 ** 20));
    const repeated = Array.from({ length: 10_240 }, () => zeros);
    plant(withFile(component().path, { length, chunks: repeated }));
    await expectRefused('corrupt_index', 'another length than its commit says');
  });

  it('that lacks a file of its commit', async () => {
    plant(withFile(component().path, null));
    await expectRefused('corrupt_index', 'which its commit names');
    plant(withFile(component().path, { path: 'generation/other' }));
    await expectRefused('corrupt_index', 'which its commit names');
    plant(withFile('generation/commit', null));
    await expectRefused('corrupt_index', 'it has no commit');
  });

  it('with files of other bytes', async () => {
    const bytes = new Uint8Array(component().length);
    plant(withFile(component().path, { chunks: [plantChunk(bytes)] }));
    await expectRefused('corrupt_index', component().path.split('/')[1]);
    plant(withFile('generation/commit', { length: 5, chunks: [plantChunk(Buffer.from('hello'))] }));
    await expectRefused('corrupt_index', 'commit');
  });

  it('with a definition that is none, or of other fields', async () => {
    plant({ ...good, definition: 'index: t' });
    await expectRefused('invalid_definition', '');
    plant({ ...good, definition: good.definition.replace('type: LONG', 'type: DOUBLE') });
    await expectRefused('invalid_argument', 'the fields differ');
    plant({ ...good, definition: good.definition.replace('shards: 3', 'shards: 2') });
    await expectRefused('invalid_argument', '2 shards');
  });

  it('with names that are none', async () => {
    plant({ ...good, aliases: ['../x'] });
    await expectRefused('corrupt_index', 'the name of an index');
    const query = { id: good.uuid, owner: '', name: 'a', request: { zz: 1 } };
    plant({ ...good, saved_queries: [query] });
    await expectRefused('corrupt_index', 'zz');
  });

  it('and the list says why, beside the backups that can be restored', async () => {
    const { backend, target } = lake;
    plant(good, { version: 7 });
    await backend.backup({ index: 't', target });
    const [newest, damaged] = await backend.listBackups({ target });
    expect([newest.num_docs, newest.error]).toEqual([300, undefined]);
    expect(damaged).toMatchObject({ error: expect.stringContaining('version 7') });
    const restored = await backend.restore({ target, as: 'again', aliases: 'none' });
    expect(restored.backup).toBe(newest.backup);
    await backend.dropIndex({ index: 'again' });
    await expect(backend.pruneBackups({ target, keep: 5 })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});

describe('a repository of backups is refused', () => {
  it.each([
    ['lhs-backups', 2, 1],
    ['lhs-repository', 3, 2],
  ])('of format %s, version %i, for every operation', async (format, version, known) => {
    const { backend, target } = lake;
    plantFormer();
    const path = join(target, 'repository.json');
    writeFileSync(path, JSON.stringify({ format, version }));
    const message = expect.stringContaining(`version ${version}, expected ${known}`);
    const refused = { code: 'unsupported', message };
    const request = { index: 't', target };
    await expect(backend.backup(request)).rejects.toMatchObject(refused);
    await expect(backend.backupStatus(request)).rejects.toMatchObject(refused);
    await expect(backend.listBackups({ target })).rejects.toMatchObject(refused);
    await expect(backend.restore({ target })).rejects.toMatchObject(refused);
    await expect(backend.pruneBackups({ target, keep: 1 })).rejects.toMatchObject(refused);
    writeFileSync(path, 'zz');
    await expect(backend.listBackups({ target })).rejects.toMatchObject({ code: 'corrupt_index' });
  });
});

describe('a chunk of a former backup', () => {
  it('that is cut, changed or missing refuses the restore', async () => {
    plantFormer();
    const [{ sha256 }] = component().chunks;
    const path = chunkPath(sha256);
    const bytes = readFileSync(path);
    truncateSync(path, 10);
    await expectRefused('corrupt_index', 'it has 10 bytes');
    rmSync(path);
    await expectRefused('corrupt_index', 'it is missing');
    writeFileSync(path, Buffer.from(bytes).fill(1, 5, 9));
    await expectRefused('corrupt_index', 'its SHA-256 differs from its name');
  });
});

/** The objects of a place below `families`, whose names have this part. */
const objectsOf = (part: string): readonly string[] =>
  (readdirSync(join(lake.target, 'families'), { recursive: true }) as string[])
    .filter((name) => name.includes(part))
    .map((name) => join(lake.target, 'families', name))
    .filter((path) => statSync(path).isFile())
    .sort((a, b) => statSync(b).size - statSync(a).size);

describe('a backup is refused', () => {
  const backUp = () => lake.backend.backup({ index: 't', target: lake.target });
  const manifest = () =>
    JSON.parse(readFileSync(manifestPath(), 'utf8').split('\n')[1]) as BackupManifest;
  const version = { version: 2 };

  it('with a manifest of another index, or of a family that is none', async () => {
    await backUp();
    const made = manifest();
    plant({ ...made, index: 'other' }, version);
    await expectRefused('corrupt_index', 'of index "other"');
    plant({ ...made, family: '../../evil' }, version);
    await expectRefused('corrupt_index', 'a UUID');
    plant({ ...made, definition: made.definition.replace('shards: 3', 'shards: 2') }, version);
    await expectRefused('invalid_argument', '2 shards');
  });

  it('whose commit names files outside of an index', async () => {
    await backUp();
    const made = manifest();
    const [path] = objectsOf('commits/');
    const text = readFileSync(path!, 'utf8');
    const { files, ...commit } = storedValue<PublishedCommit>(text);
    const naming = (name: string) => {
      const planted = { ...commit, files: { ...files, [name]: Object.values(files)[0]! } };
      writeFileSync(path!, JSON.stringify(planted));
      return planted;
    };
    naming('evil');
    await expectRefused('corrupt_index', 'its commit names other files');
    for (const name of ['../../evil', 'embeddings/../../000001.keys/000000', 'a/b']) {
      const planted = naming(name);
      await expectRefused('corrupt_index', name);
      plant({ ...made, sha256: digestOf(planted) }, version);
      await expectRefused('corrupt_index', name);
      plant(made, version);
    }
    writeFileSync(path!, text.slice(0, -20));
    await expectRefused('corrupt_index', 'it is no JSON');
    expect(existsSync(join(lake.folder, 'evil'))).toBe(false);
  });

  it('and is none, if another attempt wrote its commit', async () => {
    await backUp();
    plant({ ...manifest(), attempt: '00000000-0000-4000-8000-000000000000' }, version);
    await expectRefused('not_found', 'is complete');
  });

  it('whose bundle is cut, changed or missing, which a backup mends', async () => {
    const { backend, target } = lake;
    await backUp();
    const [path] = objectsOf('data/');
    const bytes = readFileSync(path!);
    writeFileSync(path!, Buffer.from(bytes).fill(1, 5, 9));
    await expectRefused('corrupt_index', 'has other bytes');
    const again = backend.backup({ index: 't', target, verify: true });
    await expect(again).rejects.toMatchObject({ code: 'corrupt_index' });
    writeFileSync(path!, Buffer.from(bytes).fill(1, bytes.length - 9));
    await expectRefused('corrupt_index', 'its opening has another checksum');
    rmSync(path!);
    await expectRefused('corrupt_index', 'it is missing');
    writeFileSync(path!, bytes.subarray(0, 10));
    await expectRefused('corrupt_index', 'it has 10 bytes');
    const mended = await backend.backup({ index: 't', target, verify: true });
    expect(mended.bytes_copied).toBeGreaterThan(0);
    expect(mended.bytes_copied).toBeLessThan(mended.bytes);
    await backend.restore({ target, as: 'again', aliases: 'none' });
    await backend.dropIndex({ index: 'again' });
  });
});

describe('an index with a damaged file', () => {
  it('is not backed up', async () => {
    const { backend, target } = lake;
    const path = join(generationOf(lake.folder), 's000001.keys');
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.from(bytes).fill(7, 100, 104));
    const refused = { code: 'corrupt_index', message: expect.stringContaining(path) };
    await expect(backend.backup({ index: 't', target })).rejects.toMatchObject(refused);
    writeFileSync(path, bytes);
    expect(await backend.listBackups({ target })).toEqual([]);
  });
});
