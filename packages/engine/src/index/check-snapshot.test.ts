import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import {
  FILE_KINDS,
  type FileKind,
  FRAME_FOOTER_BYTES,
  FRAME_HEADER_BYTES,
  writeFramed,
} from '../storage/frame.ts';
import { COMMIT_FILE, readCommit, writeCommit } from './commits/commit.ts';
import { openSnapshot } from './index-snapshot.ts';

const fixtures = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
const arena = plainArena();
const FORMATS = ['golden-v1', 'golden-v2'] as const;
type Format = (typeof FORMATS)[number];
const golden = new Map<Format, ReadonlyMap<string, Uint8Array>>();
beforeAll(() => {
  for (const format of FORMATS) {
    const folder = join(fixtures, format, 'index');
    const read = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
    golden.set(format, new Map(readdirSync(folder).map((name) => [name, read(name)])));
  }
});

/** Where a section of a component begins in its payload. */
const sectionAt = (payload: DataView, section: number): number =>
  payload.getUint32(4 + 8 * section, true);

/**
 * The golden index with one component changed behind its back: checksums and commit say it is
 * whole.
 */
function planted(
  format: Format,
  name: string,
  change: (payload: DataView) => void,
): readonly string[] {
  const files = golden.get(format)!;
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
  test.each([
    ['golden-v1', 's000001.core'],
    ['golden-v2', 's000001.keys'],
  ] as const)('finds no problem in an intact index (%s)', (format, name) => {
    expect(planted(format, name, () => {})).toEqual([]);
  });

  test.each([
    ['a key value', 's000001.keys', 2, 'keys'],
    ['a key rank', 's000001.keys', 3, 'keys'],
    ['the end of a bucket of key hashes', 's000001.keys', 4, 'keys'],
    ['the mark of a key hash', 's000001.keys', 5, 'keys'],
    ['the block of a key hash', 's000001.keys', 6, 'keys'],
    ['a byte of a key text', 's000001.keys', 11, 'keys'],
    ['the number of row hashes', 's000001.hashes', 0, 'hashes'],
    ['an ordinal that is not the posting', 's000001.f2.ordinal', 2, 'f2'],
    ['a number outside of its zone', 's000001.f4.numeric', 3, 'numeric of field 4'],
    ["a zone's bound", 's000001.f6.numeric', 5, 'numeric of field 6'],
    ['a key rank', 's000001.core', 3, 'core'],
    ['a key hash', 's000001.core', 4, 'core'],
    ['the document of a key hash', 's000001.core', 5, 'core'],
    ['a data file that is not there', 's000002.locators', 2, 'locators'],
  ])('finds %s', (_, name, section, named) => {
    const format = /core/.test(name) ? 'golden-v1' : 'golden-v2';
    const problems = planted(format, name, (payload) => {
      const at = sectionAt(payload, section) + 2;
      const value = payload.getUint16(at, true);
      payload.setUint16(at, named.startsWith('numeric') ? value | 0xf0f0 : value ^ 0x0303, true);
    });
    expect(problems.length).toBeGreaterThan(0);
    const field = named === 'f2' ? /(keyword|ordinal) of field 2/ : named;
    expect(problems.join('\n')).toMatch(field);
  });
});
