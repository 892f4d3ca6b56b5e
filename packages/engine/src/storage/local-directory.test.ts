import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LhsError } from '@lakehouse-search/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFramed, writeFramed } from './frame.ts';
import { ioError } from './io-errors.ts';
import { openLocalDirectory } from './local-directory.ts';
import { VERIFIED_FILE, Verification } from './verification.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-directory-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const errorOf = (call: () => unknown): LhsError => {
  try {
    call();
  } catch (error) {
    return error as LhsError;
  }
  throw new Error('nothing was thrown');
};

describe('a local directory', () => {
  test('writes files once, maps, replaces by rename and removes them', () => {
    const directory = openLocalDirectory(folder);
    const writer = directory.create('a');
    writer.write(Buffer.from('one '));
    writer.write(Buffer.from('two'));
    expect(writer.written).toBe(7);
    writer.finish();
    writer.abort();
    expect(directory.list()).toEqual(['a']);
    expect(directory.size('a')).toBe(7);
    const region = directory.open('a');
    directory.create('b').finish();
    directory.rename('b', 'a');
    expect(directory.size('a')).toBe(0);
    expect(Buffer.from(region.bytes).toString()).toBe('one two');
    region.release();
    directory.remove('a');
    expect(directory.list()).toEqual([]);
  });

  test('removes an aborted file, refuses a taken name and a path, and names a lost file', () => {
    const directory = openLocalDirectory(folder);
    const writer = directory.create('a');
    writer.write(Buffer.from('x'));
    writer.abort();
    writer.abort();
    expect(directory.list()).toEqual([]);
    directory.create('a').finish();
    expect(errorOf(() => directory.create('a')).message).toContain('exists already');
    symlinkSync('/tmp/elsewhere', join(folder, 'link'));
    expect(errorOf(() => directory.create('link')).code).toBe('io_error');
    for (const name of ['../a', 'a/b', '', '.a', 'A', 'a\0', '-a', 'ä', 'a'.repeat(201)]) {
      expect(errorOf(() => directory.create(name)).code, name).toBe('invalid_argument');
      expect(errorOf(() => directory.read(name)).code, name).toBe('invalid_argument');
    }
    expect(errorOf(() => directory.open('none')).code).toBe('corrupt_index');
    expect(errorOf(() => openLocalDirectory(join(folder, 'none')).list()).code).toBe('io_error');
  });

  test('replaces and removes nothing without the lock', () => {
    let held = true;
    const directory = openLocalDirectory(folder, () => {
      if (!held) throw new Error('the lock is gone');
    });
    directory.create('a').finish();
    directory.create('b').finish();
    directory.rename('b', 'a');
    held = false;
    directory.create('b').finish();
    expect(() => directory.rename('b', 'a')).toThrow('the lock is gone');
    expect(() => directory.remove('a')).toThrow('the lock is gone');
    expect(directory.list()).toEqual(['a', 'b']);
  });

  test('names the file and the way out in errors of the system', () => {
    const failure = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });
    const full = ioError(failure('ENOSPC'), 'write', '/data/x');
    expect([full.code, full.hint]).toEqual([
      'disk_full',
      'free space on the disk that holds "/data/x", then run the command again',
    ]);
    expect(ioError(failure('EDQUOT'), 'write', '/data/x').code).toBe('disk_full');
    for (const code of ['EMFILE', 'ENFILE', 'EROFS', 'EACCES', 'EIO']) {
      const error = ioError(failure(code), 'write', '/data/x');
      expect([error.code, error.message.includes('"/data/x"')]).toEqual(['io_error', true]);
      expect(error.hint).toBeDefined();
    }
  });

  test('remembers a checked file for a day, or until it changes', () => {
    const directory = openLocalDirectory(folder);
    const seal = writeFramed(directory, 'a', 'stored', [Buffer.from('payload')]);
    const path = join(folder, 'a');
    const later = statSync(path).ctimeMs + 5000;
    const stamped = { ...directoryWith(directory), stamp: () => `${statSync(path).mtimeMs}` };
    const check = (now: number) => {
      const framed = openFramed(stamped, 'a', 'stored', seal);
      const verification = new Verification(stamped, () => now);
      let checked = 0;
      const counting = new Proxy(framed, {
        get(target, name) {
          if (name === 'file') checked++;
          return Reflect.get(target, name);
        },
      });
      verification.check(counting);
      verification.remember();
      framed.file.release();
      return checked > 0;
    };
    expect(check(later)).toBe(true);
    expect(directory.list()).toEqual(['a', VERIFIED_FILE]);
    expect(check(later + 1000)).toBe(false);
    expect(check(later + 90_000_000)).toBe(true);
    utimesSync(path, 1, 1);
    expect(check(later + 90_000_000)).toBe(true);
    const bytes = directory.read('a').slice();
    bytes[66] ^= 1;
    writeFileSync(path, bytes);
    expect(errorOf(() => check(later + 90_000_000)).code).toBe('corrupt_index');
    const now = vi.spyOn(Date, 'now').mockReturnValue(Math.floor(statSync(path).ctimeMs));
    expect(directory.stamp('a')).toBeNull();
    now.mockRestore();
  });
});

/** The methods of a directory as an object that can be spread. */
function directoryWith(directory: ReturnType<typeof openLocalDirectory>) {
  return {
    path: directory.path,
    list: () => directory.list(),
    size: (name: string) => directory.size(name),
    read: (name: string) => directory.read(name),
    open: (name: string) => directory.open(name),
    create: (name: string) => directory.create(name),
    rename: (from: string, to: string) => directory.rename(from, to),
    remove: (name: string) => directory.remove(name),
    sync: () => directory.sync(),
  };
}
