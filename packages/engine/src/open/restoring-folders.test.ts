import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REGISTRY_FILE } from '../registry/registry-file.ts';
import { sweepFolders } from './dropped-folders.ts';
import { makeRestoring, publishRestored, sweepRestoring } from './restoring-folders.ts';

const UUID = '0f4d2c1b-1111-4222-8333-444455556666';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-restoring-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const home = () => join(folder, 'indexes');
const left = () => readdirSync(home());
const sweep = (now?: number) => sweepRestoring(home(), left(), now);

describe('the folder of an index that is being restored', () => {
  it('stays as long as its process lives', () => {
    const staged = makeRestoring(folder, UUID, 't');
    sweep(Date.now() + 1e9);
    expect(left()).toEqual([`${UUID}.restoring`]);
    staged.lock.release();
  });

  it('goes when its process has ended', () => {
    const { path, lock } = makeRestoring(folder, UUID, 't');
    lock.release();
    const dead = { pid: 2 ** 22 + 1, host: 'x', boot_id: '', started: '', token: 'x' };
    writeFileSync(join(path, 'writer.lock'), '');
    writeFileSync(join(path, 'more'), JSON.stringify(dead));
    sweep();
    expect(left()).toEqual([]);
  });

  it('without a lock goes once it is a minute old', () => {
    mkdirSync(join(home(), `${UUID}.restoring`), { recursive: true });
    sweep();
    expect(left()).toHaveLength(1);
    sweep(Date.now() + 61_000);
    expect(left()).toEqual([]);
  });

  it('gets the name of its index without the lock', () => {
    const staged = makeRestoring(folder, UUID, 't');
    writeFileSync(join(staged.path, 'CURRENT'), '');
    publishRestored(staged);
    staged.lock.release();
    expect(left()).toEqual([UUID]);
    expect(readdirSync(join(home(), UUID))).toEqual(['CURRENT']);
  });

  it('is no business of a sweep if its name has another form', () => {
    for (const name of ['x.restoring', `${UUID}.restoring.old`, `${UUID}x.restoring`]) {
      mkdirSync(join(home(), name), { recursive: true });
    }
    sweep(Date.now() + 1e9);
    expect(left()).toHaveLength(3);
  });
});

describe('a sweep of folders', () => {
  it('waits for changes that are under way before it removes an index', () => {
    writeFileSync(join(folder, REGISTRY_FILE), '');
    mkdirSync(join(home(), UUID), { recursive: true });
    const restored = new Set([UUID]);
    sweepFolders(
      folder,
      () => new Set(),
      () => restored,
    );
    expect(existsSync(join(home(), UUID))).toBe(true);
    sweepFolders(folder, () => new Set());
    expect(left()).toEqual([]);
  });
});
