import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interceptFiles, systemError } from '../../../../test/support/file-calls.ts';
import { makeFolder } from './make-folder.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lhs-folder-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The folders that are flushed while `a/b/c` is made below `home`. */
function flushedBy(path: string): string[] {
  const flushed: string[] = [];
  const stop = interceptFiles(home, (call) => {
    if (call.kind === 'fsync') flushed.push(call.path.slice(home.length));
    return undefined;
  });
  makeFolder(join(home, path));
  stop();
  return flushed;
}

describe('makeFolder', () => {
  test('flushes the parent of each new folder once', () => {
    expect(flushedBy('a/b/c').sort()).toEqual(['', '/a', '/a/b']);
    expect(flushedBy('a/b/c')).toEqual([]);
    expect(flushedBy('a/b/d')).toEqual(['/a/b']);
  });

  test('names a folder that cannot be made', () => {
    const stop = interceptFiles(home, (call) => {
      if (call.kind === 'mkdir') throw systemError('EROFS', call);
      return undefined;
    });
    const make = () => makeFolder(join(home, 'a'));
    expect(make).toThrow(`cannot make "${join(home, 'a')}": the file system is read-only (EROFS)`);
    stop();
  });

  test('fails if a folder cannot hold another one', () => {
    expect(() => makeFolder('/proc/lhs/data')).toThrow('cannot make "/proc/lhs/data": ENOENT');
    writeFileSync(join(home, 'file'), '');
    expect(() => makeFolder(join(home, 'file/below'))).toThrow(
      `cannot make "${join(home, 'file/below')}": "${join(home, 'file')}" is a file, not a folder`,
    );
  });
});
