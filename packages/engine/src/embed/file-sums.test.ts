import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Of } from './file-sums.ts';

describe('checksums of files', () => {
  it('cover files of every length, read in steps', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-sums-'));
    try {
      const step = 4 * 2 ** 20;
      for (const length of [0, 1, step - 1, step, 2 * step + 5]) {
        const bytes = Buffer.alloc(length).map((_, i) => (i * 31) >> 3);
        const path = join(folder, String(length));
        writeFileSync(path, bytes);
        expect(sha256Of(path)).toBe(createHash('sha256').update(bytes).digest('hex'));
      }
      mkdirSync(join(folder, 'none'));
      expect(() => sha256Of(join(folder, 'none'))).toThrow('cannot be read');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
