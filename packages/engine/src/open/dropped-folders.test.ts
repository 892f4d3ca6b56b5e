import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../registry/registry.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { dropFolder, folderSize, sweepFolders } from './dropped-folders.ts';
import { indexFolder } from './index-folder.ts';

let dataDir = '';
let registry: Registry;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-dropped-'));
  registry = new Registry(dataDir);
});
afterEach(() => {
  registry.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const home = () => join(dataDir, 'indexes');
const make = (uuid: string) =>
  registry.whileRegistered(uuid, () => makeFolder(indexFolder(dataDir, uuid)));
const sweep = () => sweepFolders(dataDir, () => registry.uuids());

describe('the folder of an index', () => {
  it('is made only while the index is registered', () => {
    const { uuid } = registry.add('a', 'version: 1', '/');
    expect(make(uuid)).toBe(true);
    registry.remove(uuid);
    rmSync(indexFolder(dataDir, uuid), { recursive: true });
    expect(make(uuid)).toBe(false);
    expect(readdirSync(home())).toEqual([]);
  });

  it('keeps other processes from dropping the index while it is made', () => {
    const { uuid } = registry.add('a', 'version: 1', '/');
    expect(registry.has(uuid)).toBe(true);
    expect(() =>
      registry.whileRegistered(uuid, () => {
        throw new Error('the disk');
      }),
    ).toThrow('the disk');
    expect(registry.remove(uuid)).not.toBeNull();
  });

  it('goes when its index is dropped, even if another process has put it aside', () => {
    const { uuid } = registry.add('a', 'version: 1', '/');
    make(uuid);
    dropFolder(indexFolder(dataDir, uuid));
    dropFolder(indexFolder(dataDir, uuid));
    expect(readdirSync(home())).toEqual([`${uuid}.dropped`]);
    sweep();
    expect(readdirSync(home())).toEqual([]);
  });

  it('has a size, also when another process has removed it', () => {
    const { uuid } = registry.add('a', 'version: 1', '/');
    make(uuid);
    const folder = indexFolder(dataDir, uuid);
    mkdirSync(join(folder, 'gen-000001'));
    writeFileSync(join(folder, 'gen-000001', 'file'), 'four');
    expect(folderSize(folder, 0)).toEqual({ generations: 1, points_in_time: 0, bytes: 4 });
    rmSync(folder, { recursive: true });
    expect(folderSize(folder, 0)).toEqual({ generations: 0, points_in_time: 0, bytes: 0 });
  });
});

describe('a sweep', () => {
  it('of a data folder without indexes does nothing', () => {
    sweep();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('removes folders that no index has, with all that is in them', () => {
    const [kept, gone] = ['a', 'b'].map((name) => registry.add(name, 'version: 1', '/').uuid);
    for (const uuid of [kept, gone]) make(uuid);
    mkdirSync(join(home(), gone, 'gen-000001'));
    writeFileSync(join(home(), gone, 'gen-000001', 'commit'), 'x');
    mkdirSync(join(home(), 'no-uuid'));
    registry.remove(gone);
    sweep();
    expect(readdirSync(home()).sort()).toEqual([kept, 'no-uuid'].sort());
  });

  it('keeps folders that are older than the registry, which was lost or restored', async () => {
    const { uuid } = registry.add('a', 'version: 1', '/');
    make(uuid);
    registry.close();
    const copy = readFileSync(registry.path);
    const made = statSync(indexFolder(dataDir, uuid)).birthtimeMs;
    const anew = (bytes?: Uint8Array) => {
      rmSync(registry.path);
      if (bytes !== undefined) writeFileSync(registry.path, bytes);
      registry = new Registry(dataDir);
      return (statSync(registry.path, { throwIfNoEntry: false })?.birthtimeMs ?? 0) > made;
    };
    rmSync(registry.path);
    registry = new Registry(dataDir);
    sweep();
    expect(readdirSync(home())).toEqual([uuid]);
    registry.add('b', 'version: 1', '/'); // the first change makes the file
    await expect.poll(() => anew(readFileSync(registry.path))).toBe(true);
    sweep();
    expect(readdirSync(home())).toEqual([uuid]);
    registry.close();
    anew(copy);
    sweep();
    expect(registry.get('a').uuid).toBe(uuid);
    expect(readdirSync(home())).toEqual([uuid]);
  });

  it('leaves alone what is created between its look at the folders and at the registry', () => {
    const first = registry.add('a', 'version: 1', '/').uuid;
    make(first);
    let later = '';
    sweepFolders(dataDir, () => {
      later = registry.add('b', 'version: 1', '/').uuid;
      make(later);
      return registry.uuids();
    });
    expect(readdirSync(home()).sort()).toEqual([first, later].sort());
  });
});
