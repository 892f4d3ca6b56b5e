import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from '../../src/base/time/deadline.ts';
import { mapFile } from '../../src/storage/arena.ts';
import { useColdStore, withColdBytes, withTimeToFetch } from '../../src/storage/cold-cache.ts';
import { ColdFile, coldFigures } from '../../src/storage/cold-file.ts';

const BLOCK = 4096;
const whole = Uint8Array.from({ length: 10 * BLOCK }, (_, i) => (i * i) % 251);
const blockOf = (block: number) => whole.subarray(block * BLOCK, (block + 1) * BLOCK);

let folder: string;
let file: ColdFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-cold-cache-'));
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(folder, 'cache'));
  writeFileSync(join(folder, 'twin'), new Uint8Array(whole.length));
  const crcs = Array.from({ length: 10 }, (_, block) => crc32(blockOf(block)));
  const object = { place: 'store', key: 'index/1/file', length: whole.length, blockBytes: BLOCK };
  const region = mapFile(join(folder, 'twin'));
  file = new ColdFile({ ...object, crcs, window: null }, region, 0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** What reads `blocks` of the file. */
const reading = (from: number, to: number) =>
  withColdBytes(() => file.need(from * BLOCK, (to - from) * BLOCK));

describe('reads of a cold file side by side', () => {
  it('fetch each block once', async () => {
    const fetched: number[] = [];
    useColdStore(async ([{ blocks, take }]) => {
      fetched.push(...blocks);
      await Promise.resolve();
      for (const block of blocks) take(block, blockOf(block));
    });
    await Promise.all([reading(0, 6), reading(2, 9), reading(5, 10), reading(0, 10)]);
    expect(fetched.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('fetch what another one could not', async () => {
    let fetches = 0;
    useColdStore(async ([{ blocks, take }]) => {
      if (fetches++ === 0) throw new Error('the store is away');
      for (const block of blocks) take(block, blockOf(block));
    });
    const reads = [reading(0, 6), reading(2, 9), reading(0, 10)];
    const failed = (await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected');
    expect(failed).toMatchObject([{ reason: { message: 'the store is away' } }]);
  });

  it('have time for what they fetch, three times', async () => {
    let late = 0;
    useColdStore(async ([{ blocks, take }]) => {
      for (const block of blocks) take(block, blockOf(block));
      coldFigures.bytesRead += 7e6;
    });
    const read = (attempts: number) =>
      withTimeToFetch(async () => {
        await reading(late, late + 1);
        if (late++ < attempts) new Deadline(-1).check();
        return late;
      });
    expect(await read(2)).toBe(3);
    await expect(read(9)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringMatching(/: 7 MB that were not in the cache had to be fetched$/),
      hint: 'run the same query again: the cache has these bytes now',
    });
    const slow = withTimeToFetch(async () => new Deadline(-1).check());
    await expect(slow).rejects.toMatchObject({ message: expect.not.stringContaining('fetched') });
  });
});
