import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { mapFile } from './arena.ts';
import { trimCache } from './cache-folder.ts';
import { ColdFile, collectDemands } from './cold-file.ts';

const BLOCK = 4096;
const RESIDENT = 100;
const FOOTER = 16;
const whole = Uint8Array.from({ length: 10 * BLOCK + 500 }, (_, i) => (i * i) % 251);
const blockOf = (block: number) => whole.subarray(block * BLOCK, (block + 1) * BLOCK);
const blocks = Array.from({ length: 11 }, (_, block) => block);

/** Files are mapped on a disk; those in memory are not if they have holes. */
const DISKS = [tmpdir(), '/var/tmp'].filter(existsSync);
let disk = DISKS[0]!;
let folder = '';
let cache = '';
beforeEach(() => {
  folder = mkdtempSync(join(disk, 'lhs-cold-file-'));
  cache = join(folder, 'cache');
  vi.stubEnv('LHS_COLD_CACHE_DIR', cache);
  const twin = new Uint8Array(whole.length);
  twin.set(whole.subarray(0, RESIDENT));
  twin.set(whole.subarray(-FOOTER), whole.length - FOOTER);
  writeFileSync(join(folder, 'twin'), twin);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** The file as a process opens it; `mapped`: its bytes in memory are those of a file. */
function open(mapped = true) {
  const { pages, remap, ...plain } = mapFile(join(folder, 'twin'));
  const region = mapped && remap && pages ? { ...plain, pages, remap } : plain;
  const object = {
    place: 'store',
    key: 'index/1/file',
    length: whole.length,
    blockBytes: BLOCK,
    crcs: blocks.map((block) => crc32(blockOf(block))),
    window: null,
  };
  const file = new ColdFile(object, region, RESIDENT);
  const missing = async (from: number, to: number) => {
    collectDemands(() => file.demand(from * BLOCK, (to - from) * BLOCK));
    const fetch = { ended: Promise.resolve(), others: new Set<Promise<void>>() };
    const found = await file.takeDemanded(fetch);
    file.endFetch(fetch);
    return found;
  };
  /** What is read of blocks, each of which is fetched if it is missing. */
  const read = async (from: number, to: number) => {
    for (const block of await missing(from, to)) file.put(block, blockOf(block));
    file.need(from * BLOCK, (to - from) * BLOCK);
    return region.bytes.slice(from * BLOCK, to * BLOCK);
  };
  return { file, missing, read, bytes: region.bytes };
}
const right = (from: number, to: number) => whole.slice(from * BLOCK, to * BLOCK);
const cacheFile = () => join(cache, readdirSync(cache)[0]!);

describe.each(DISKS)('a cold file in %s', (place) => {
  beforeAll(() => {
    disk = place;
  });

  it.each([true, false])(
    'shares blocks with others that have it open (mapped: %s)',
    async (mapped) => {
      const [one, other] = [open(mapped), open(mapped)];
      expect(await one.read(1, 4)).toEqual(right(1, 4));
      expect(await other.missing(0, 11)).toEqual([0, 4, 5, 6, 7, 8, 9, 10]);
      expect(await other.read(0, 11)).toEqual(whole);
      expect(await one.missing(0, 11)).toEqual([]);
      expect(await one.read(0, 11)).toEqual(whole);
      expect(new Uint8Array(readFileSync(cacheFile()))).toEqual(whole);
      one.file.evict();
      expect(await one.missing(0, 11)).toEqual([]);
    },
  );

  it('fetches blocks again whose bytes on disk are others', async () => {
    await open().read(0, 11);
    const damaged = Uint8Array.from(whole);
    damaged[5 * BLOCK + 7] ^= 1;
    writeFileSync(cacheFile(), damaged);
    const next = open();
    expect(await next.missing(0, 11)).toEqual([5]);
    expect(await next.read(0, 11)).toEqual(whole);
    expect(new Uint8Array(readFileSync(cacheFile()))).toEqual(whole);
  });

  it('opens a file of the cache that was left half written', async () => {
    await open().read(0, 3);
    truncateSync(cacheFile(), 50);
    const next = open();
    expect((await next.missing(0, 11)).length).toBe(11);
    expect(next.bytes.slice(0, RESIDENT)).toEqual(whole.slice(0, RESIDENT));
    expect(next.bytes.slice(-FOOTER)).toEqual(whole.slice(-FOOTER));
  });

  it('reads on if its file is removed, and has another one after it was evicted', async () => {
    const [one, other] = [open(), open()];
    await one.read(2, 5);
    await other.read(2, 4);
    await trimCache(0);
    expect(readdirSync(cache)).toEqual([]);
    const next = open();
    await next.read(7, 9);
    expect(await one.read(0, 9)).toEqual(right(0, 9));
    expect(await other.read(0, 11)).toEqual(whole);
    expect(await next.missing(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    one.file.evict();
    expect(await one.missing(7, 9)).toEqual([]);
    expect(await one.read(0, 11)).toEqual(whole);
    expect(await next.missing(0, 11)).toEqual([]);
  });

  it.each([
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
  ])('writes nothing through %s in the cache', async (_, link) => {
    await open().read(0, 3);
    const path = cacheFile();
    const outside = join(folder, 'outside');
    writeFileSync(outside, 'of another program');
    rmSync(path);
    link(outside, path);
    expect(await open().read(0, 11)).toEqual(whole);
    expect(readFileSync(outside, 'utf8')).toBe('of another program');
    rmSync(path);
    expect(await open().read(0, 11)).toEqual(whole);
    expect(new Uint8Array(readFileSync(path))).toEqual(whole);
  });

  it('needs no cache', async () => {
    vi.stubEnv('LHS_COLD_CACHE_BYTES', '0');
    const one = open();
    expect(await one.read(3, 11)).toEqual(right(3, 11));
    one.file.evict();
    expect(await one.missing(0, 11)).toEqual(blocks);
    vi.stubEnv('LHS_COLD_CACHE_BYTES', '');
    writeFileSync(cache, 'no folder');
    expect(await open().read(0, 11)).toEqual(whole);
  });

  it('trims the cache to a number of bytes, the files that were used last stay', async () => {
    const file = open();
    await file.read(0, 11);
    const old = join(cache, 'old');
    writeFileSync(old, whole);
    utimesSync(old, 1000, 1000);
    // commits that are open have folders there
    mkdirSync(join(cache, 'opened'));
    utimesSync(join(cache, 'opened'), 0, 0);
    await trimCache(13 * BLOCK);
    expect(readdirSync(cache)).not.toContain('old');
    expect(readdirSync(cache).length).toBe(2);
  });
});
