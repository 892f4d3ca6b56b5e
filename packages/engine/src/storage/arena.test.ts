import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_FILE_BYTES, mapFile } from './arena.ts';

const MB = 2 ** 20;

describe('the arena', () => {
  test.skipIf(process.platform !== 'linux')(
    'leaves room for work when files fill it, and reuses their space',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'lhs-arena-'));
      try {
        // Sparse: mapped, not read.
        const path = join(folder, 'large');
        writeFileSync(path, 'begin');
        truncateSync(path, 900 * MB);
        const regions = [mapFile(path), mapFile(path)];
        for (const { arena, bytes, length } of regions) {
          expect(length).toBe(900 * MB);
          expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('begin');
          const work = [arena.allocate(100 * MB), arena.allocate(100 * MB)];
          for (const { bytes } of work) bytes[0] = 1;
          for (const region of work) region.release();
          const again = arena.allocate(100 * MB);
          expect(again.bytes[0]).toBe(0);
          again.release();
        }
        expect(regions[0].arena === regions[1].arena).toBe(false);
        for (const region of regions) region.release();
        const later = mapFile(path);
        expect(later.arena === regions[0].arena).toBe(true);
        later.release();
        truncateSync(path, MAX_FILE_BYTES);
        const largest = mapFile(path);
        expect(largest.length).toBe(MAX_FILE_BYTES);
        largest.release();
        truncateSync(path, MAX_FILE_BYTES + 1);
        expect(() => mapFile(path)).toThrow('does not fit into memory that is mapped');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
