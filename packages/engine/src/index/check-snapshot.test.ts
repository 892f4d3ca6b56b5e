import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  FILE_KINDS,
  type FileKind,
  FRAME_FOOTER_BYTES,
  FRAME_HEADER_BYTES,
  writeFramed,
} from '../storage/frame.ts';
import { MemoryDirectory } from '../storage/memory-directory.ts';
import { plainArena } from '../storage/plain-arena.ts';
import { COMMIT_FILE, readCommit, writeCommit } from './commit.ts';
import { checkIndex, openSnapshot } from './index-snapshot.ts';

const golden = fileURLToPath(new URL('../../../../fixtures/golden-v1/index/', import.meta.url));
const arena = plainArena();
const files = new Map<string, Uint8Array>();
beforeAll(() => {
  for (const name of readdirSync(golden))
    files.set(name, new Uint8Array(readFileSync(join(golden, name))));
});

/** Where a section of a component begins in its payload. */
const sectionAt = (payload: DataView, section: number): number =>
  payload.getUint32(4 + 8 * section, true);

/**
 * The golden index with one component changed behind its back: checksums and commit say it is
 * whole.
 */
function planted(name: string, change: (payload: DataView) => void): readonly string[] {
  const whole = files.get(name)!;
  const kind = new DataView(whole.buffer, whole.byteOffset).getUint16(8, true);
  const kindName = Object.entries(FILE_KINDS).find(([, { number }]) => number === kind)![0];
  const payload = whole.slice(FRAME_HEADER_BYTES, whole.length - FRAME_FOOTER_BYTES);
  change(new DataView(payload.buffer, payload.byteOffset, payload.length));
  const directory = new MemoryDirectory(arena, files);
  directory.remove(name);
  const seal = writeFramed(directory, name, kindName as FileKind, [payload]);
  const commit = readCommit(directory)!;
  directory.remove(COMMIT_FILE);
  const segments = commit.segments.map((segment) => ({
    ...segment,
    components: segment.components.map((one) => (one.file === name ? { ...one, ...seal } : one)),
  }));
  writeCommit(directory, { ...commit, segments });
  const snapshot = openSnapshot(directory);
  try {
    return checkIndex(snapshot);
  } finally {
    snapshot.release();
  }
}

describe('checkIndex', () => {
  test('finds no problem in an intact index', () => {
    expect(planted('s000001.core', () => {})).toEqual([]);
  });

  test.each([
    ['an ordinal that is not the posting', 's000001.f2.ordinal', 2, 'f2'],
    ['a number outside of its zone', 's000001.f4.numeric', 3, 'numeric of field 4'],
    ["a zone's bound", 's000001.f6.numeric', 5, 'numeric of field 6'],
    ['a key rank', 's000001.core', 3, 'core'],
    ['a key hash', 's000001.core', 4, 'core'],
    ['the document of a key hash', 's000001.core', 5, 'core'],
    ['a data file that is not there', 's000002.locators', 2, 'locators'],
  ])('finds %s', (_, name, section, named) => {
    const problems = planted(name, (payload) => {
      const at = sectionAt(payload, section) + 2;
      const value = payload.getUint16(at, true);
      payload.setUint16(at, named.startsWith('numeric') ? value | 0xf0f0 : value ^ 0x0303, true);
    });
    expect(problems.length).toBeGreaterThan(0);
    const field = named === 'f2' ? /(keyword|ordinal) of field 2/ : named;
    expect(problems.join('\n')).toMatch(field);
  });
});
