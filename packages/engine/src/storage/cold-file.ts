/**
 * A file whose bytes are partly in an object store. Its local twin has the same length: the
 * resident bytes at its beginning and its footer are there, the others are a hole. A reader demands
 * the bytes that it needs, in blocks; blocks are written to the file of the cache (cached-file.ts)
 * that is mapped in place of the twin, or else into the memory of the twin.
 *
 * Reading is synchronous and fetching is not. If a demanded block is absent, `demand` throws
 * `ColdMiss`; the caller awaits `fetchDemanded` and runs its work again (cold-cache.ts).
 */
import { crc32 } from 'node:zlib';
import { LhsError } from '@lakehouse-search/contract';
import { inOneTurn, pauses } from '../base/turns.ts';
import { CachedFile } from './cached-file.ts';
import type { Region } from './directory.ts';
import { corrupt, FRAME_FOOTER_BYTES } from './frame.ts';

/** Files of so many blocks are fetched whole: one request more costs more than their bytes. */
const SMALL_BLOCKS = 4;

/** Where the blocks of a file are in an object. */
export interface BlockPlaces {
  /** Where the file begins, if the object has other files too. */
  readonly offset?: number | undefined;
  /** Where each block is; absent: one behind the other. */
  readonly places?: readonly number[] | undefined;
  /** Where those from `first` on are once more, beside other files. */
  readonly copies?: { readonly first: number; readonly places: readonly number[] } | undefined;
}

/** The object that has all bytes of a cold file. */
export interface ColdObject extends BlockPlaces {
  /** A folder, or `s3://bucket/prefix`. */
  readonly place: string;
  readonly key: string;
  /** Bytes of the file. */
  readonly length: number;
  readonly blockBytes: number;
  /** CRC-32 of each block. */
  readonly crcs: readonly number[];
  /** The window of the file, for messages: its first day (schema/windows.ts); undefined: none. */
  readonly window: number | null | undefined;
}

/** A fetch of blocks. */
export interface BlockFetch {
  readonly ended: Promise<void>;
  /** Ends of other fetches that bring blocks which this one needs, too. */
  readonly others: Set<Promise<void>>;
}

/** Demanded bytes are not here yet. Work that does not fetch them fails with it. */
export class ColdMiss extends LhsError {
  /** A component that was demanded as a whole: other segments will need theirs. */
  readonly component: string | null;

  constructor(component: string | null = null) {
    super('unsupported', 'this work does not read cold windows', {
      hint: 'make the windows hot before',
    });
    this.component = component;
  }
}

/** Files with demanded blocks that are absent. */
export const demanded = new Set<ColdFile>();
/** Figures of this process. `rounds`: times that a read waited for blocks. */
export const coldFigures = {
  hits: 0,
  misses: 0,
  rounds: 0,
  requests: 0,
  bytesRead: 0,
  heldBytes: 0,
};
/** All files with blocks in memory, for eviction. */
export const held = new Set<ColdFile>();
let collecting = 0;
let uses = 0;

/**
 * Runs `work` so that demands of absent bytes are recorded and do not throw. It ends early if it
 * has to read some of them.
 */
export function collectDemands(work: () => void): void {
  collecting++;
  try {
    work();
  } catch (error) {
    if (!(error instanceof ColdMiss)) throw error;
  } finally {
    collecting--;
  }
}

/**
 * Reads each item, in steps. If bytes are absent, the others are read all the same, so that all of
 * them demand what they lack; then the first miss is thrown.
 */
export function* eachCold<T>(
  items: readonly T[],
  read: (item: T, at: number) => void,
): Generator<void, void> {
  let missed: ColdMiss | null = null;
  for (let at = 0; at < items.length; at++) {
    try {
      read(items[at], at);
    } catch (error) {
      if (!(error instanceof ColdMiss)) throw error;
      missed ??= error;
    }
    yield;
  }
  if (missed !== null) throw missed;
}

/** Runs `work`, which hands over its parts. If some miss bytes, it throws after the last one. */
export function inParts<T>(work: (part: (read: () => void) => void) => T): T {
  let missed: ColdMiss | null = null;
  const result = work((read) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ColdMiss)) throw error;
      missed ??= error;
    }
  });
  if (missed !== null) throw missed;
  return result;
}

/** What `read` gives for each item; of all of them as `eachCold`. */
export function mapCold<T, R>(items: readonly T[], read: (item: T, at: number) => R): R[] {
  const results: R[] = [];
  inOneTurn(eachCold(items, (item, at) => void results.push(read(item, at))));
  return results;
}

/** A cold file that is mapped. */
export class ColdFile {
  readonly object: ColdObject;
  readonly #region: Region;
  readonly #present: Uint8Array;
  readonly #wanted = new Set<number>();
  /** Blocks on their way, and what fetches them. */
  readonly #coming = new Map<number, BlockFetch>();
  #absent: number;
  readonly #residentBlocks: number;
  readonly #residentBytes: number;
  /** Undefined until the first block is looked for. */
  #cache: CachedFile | null | undefined;
  /** The range that was there when it was demanded last. */
  #hereFrom = 0;
  #hereTo = 0;
  /** Grows with each use: files that were not used for longest are evicted first. */
  lastUse = 0;

  /** Blocks of the first `residentBytes` are there. */
  constructor(object: ColdObject, region: Region, residentBytes: number) {
    const blocks = Math.ceil(object.length / object.blockBytes);
    if (region.length !== object.length || object.crcs.length !== blocks) {
      throw corrupt(object.key, 'its list of blocks is not of this file');
    }
    this.object = object;
    this.#region = region;
    const resident = Math.floor(residentBytes / object.blockBytes);
    this.#present = new Uint8Array(blocks).fill(1, 0, resident);
    this.#absent = blocks - resident;
    this.#residentBlocks = resident;
    this.#residentBytes = residentBytes;
  }

  /** As `need`; nothing is thrown while demands are collected. */
  demand(offset: number, bytes: number): void {
    if (collecting === 0) this.need(offset, bytes);
    else this.#isHere(offset, bytes);
  }

  /** Throws ColdMiss unless bytes are there, from an offset of the file on. */
  need(offset: number, bytes: number): void {
    if (!this.#isHere(offset, bytes)) throw new ColdMiss();
  }

  /** Whether bytes are here; nothing is demanded. */
  has(offset: number, bytes: number): boolean {
    const { blockBytes } = this.object;
    const [from, to] = [Math.floor(offset / blockBytes), Math.ceil((offset + bytes) / blockBytes)];
    return this.#absent === 0 || !this.#present.subarray(from, to).includes(0);
  }

  /** Demands all bytes. */
  demandAll(): void {
    this.demand(0, this.object.length);
  }

  /** As `need`, for all bytes of a component. */
  needAll(component: string): void {
    if (!this.#isHere(0, this.object.length)) throw new ColdMiss(component);
  }

  /** True if bytes are there; otherwise they are demanded. Small files are demanded whole. */
  #isHere(offset: number, bytes: number): boolean {
    this.lastUse = ++uses;
    const end = offset + bytes;
    const known = end <= this.#residentBytes || (offset >= this.#hereFrom && end <= this.#hereTo);
    if (known || this.#absent === 0) {
      coldFigures.hits++;
      return true;
    }
    const { blockBytes } = this.object;
    const from = Math.floor(offset / blockBytes);
    const to = Math.min(Math.ceil(end / blockBytes), this.#present.length);
    let absent = this.#want(from, to);
    if (absent === 0) {
      this.#hereFrom = offset;
      this.#hereTo = end;
      coldFigures.hits++;
      return true;
    }
    if (this.#present.length <= SMALL_BLOCKS) absent = this.#want(0, this.#present.length);
    coldFigures.misses += absent;
    demanded.add(this);
    return false;
  }

  /** Demands the absent ones of some blocks; returns how many they are. */
  #want(from: number, to: number): number {
    let absent = 0;
    for (let block = from; block < to; block++) {
      if (this.#present[block] === 1) continue;
      this.#wanted.add(block);
      absent++;
    }
    return absent;
  }

  /**
   * The demanded blocks that neither memory nor the cache on disk has, ascending, for `fetch` to
   * fetch; others fetch the rest. None is demanded any longer.
   */
  async takeDemanded(fetch: BlockFetch): Promise<readonly number[]> {
    const blocks = [...this.#wanted].sort((a, b) => a - b);
    this.#wanted.clear();
    const pause = pauses();
    const missing: number[] = [];
    for (const block of blocks) {
      const other = this.#coming.get(block);
      if (other !== undefined) fetch.others.add(other.ended);
      if (this.#present[block] === 1 || other !== undefined) continue;
      if (this.#isCached(block)) this.#took(block);
      else {
        missing.push(block);
        this.#coming.set(block, fetch);
      }
      await pause();
    }
    return missing;
  }

  /** Nothing is on its way by `fetch` any longer. */
  endFetch(fetch: BlockFetch): void {
    for (const [block, own] of this.#coming) if (own === fetch) this.#coming.delete(block);
  }

  /** Takes the bytes of a block. Throws corrupt_index if they are not those of the file. */
  put(block: number, bytes: Uint8Array): void {
    if (this.#present[block] === 1) return;
    if (crc32(bytes) !== this.object.crcs[block]) throw damagedBlock(this.object, block);
    const at = block * this.object.blockBytes;
    // What is written to memory hides what is written to the file later: all in one of them.
    if (this.#cacheFile?.write(bytes, at) !== true) this.#cache = null;
    if (this.#cache?.mapped !== true) this.#region.bytes.set(bytes, at);
    this.#took(block);
  }

  /** Gives the memory of all blocks back; they are absent then. Nobody may be reading. */
  evict(): void {
    for (let block = this.#residentBlocks; block < this.#present.length; block++) {
      if (this.#present[block] === 0) continue;
      this.#present[block] = 0;
      this.#absent++;
      const { from, bytes } = this.#rangeOf(block);
      coldFigures.heldBytes -= bytes;
      this.#giveBack(from, from + bytes);
    }
    this.#cache = undefined;
    this.#hereTo = 0;
    held.delete(this);
  }

  #giveBack(from: number, to: number): void {
    const { offset, pages, clear } = this.#region;
    pages?.leave(offset + from, to - from);
    const first = Math.max(from, this.#residentBytes);
    clear?.(offset + first, Math.min(to, this.object.length - FRAME_FOOTER_BYTES) - first);
  }

  #took(block: number): void {
    this.#present[block] = 1;
    this.#absent--;
    coldFigures.heldBytes += this.#rangeOf(block).bytes;
    held.add(this);
  }

  #rangeOf(block: number): { readonly from: number; readonly bytes: number } {
    const { blockBytes, length } = this.object;
    const from = block * blockBytes;
    return { from, bytes: Math.min(blockBytes, length - from) };
  }

  /** The file of the cache; null: there is none. */
  get #cacheFile(): CachedFile | null {
    if (this.#cache === undefined) {
      const { length } = this.object;
      const known = [
        { from: 0, to: this.#residentBytes },
        { from: length - FRAME_FOOTER_BYTES, to: length },
      ];
      this.#cache = CachedFile.open(this.object, this.#region, known);
    }
    return this.#cache;
  }

  /** True if the region has a block's bytes, from the cache. */
  #isCached(block: number): boolean {
    const cache = this.#cacheFile;
    if (cache === null) return false;
    const { from, bytes } = this.#rangeOf(block);
    if (!cache.mapped && !cache.read(this.#region, from, bytes)) return false;
    return crc32(this.#region.bytes.subarray(from, from + bytes)) === this.object.crcs[block];
  }

  /** Before the file is unmapped. */
  close(): void {
    this.evict();
    demanded.delete(this);
  }
}

/** The error of a block whose bytes are not those that were cooled. */
const damagedBlock = ({ place, key }: ColdObject, block: number): LhsError => {
  const file = `${place}/${key}`;
  const message = `"${file}" is damaged: block ${block} has another checksum`;
  return new LhsError('corrupt_index', message, { ...RESTORED, details: { file } });
};

/** What restores an object of a published index that is lost or damaged. */
export const RESTORED = Object.freeze({
  hint: 'where the index is written, a repair restores it',
  next: [{ step: 'repair' }],
} as const);
