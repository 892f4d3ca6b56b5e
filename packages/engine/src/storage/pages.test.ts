import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFramed, verifyFramed, writeFramed } from './frame.ts';
import { openLocalDirectory } from './local-directory.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-pages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BYTES = 33 * 2 ** 20;

function write(): Uint8Array {
  const payload = new Uint8Array(BYTES);
  for (let i = 0; i < BYTES; i += 997) payload[i] = i >> 8;
  writeFramed(openLocalDirectory(folder), 'large', 'vector', [payload]);
  return payload;
}

describe('pages of a mapped file', () => {
  test('are verified in steps, and a changed byte of any step is found', () => {
    write();
    for (const at of [64, 5 * 2 ** 20, BYTES - 1]) {
      const directory = openLocalDirectory(folder);
      const whole = openFramed(directory, 'large', 'vector');
      verifyFramed(whole);
      const before = whole.file.bytes[at];
      whole.file.release();
      put(at, before ^ 1);
      const damaged = openFramed(directory, 'large', 'vector');
      expect(() => verifyFramed(damaged)).toThrow(/checksum/);
      damaged.file.release();
      put(at, before);
    }
  });

  function put(at: number, value: number): void {
    const descriptor = openSync(join(folder, 'large'), 'r+');
    writeSync(descriptor, Uint8Array.of(value), 0, 1, at);
    closeSync(descriptor);
  }

  test('keep their content after release, as do their neighbours', () => {
    const payload = write();
    const { file, payload: region } = openFramed(openLocalDirectory(folder), 'large', 'vector');
    const other = region.arena.allocate(10_000);
    other.bytes.fill(7);
    region.pages?.want(region.offset + 12_345, 2 ** 20);
    region.pages?.leave(region.offset, region.length);
    expect(Buffer.compare(region.bytes, payload)).toBe(0);
    region.pages?.leave(region.offset + region.length - 10, 10);
    region.pages?.leave(region.offset + 5000, 3);
    expect(Buffer.compare(region.bytes, payload)).toBe(0);
    expect(other.bytes.every((byte) => byte === 7)).toBe(true);
    other.release();
    file.release();
  });
});
