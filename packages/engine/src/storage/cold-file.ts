/**
 * A file whose bytes are partly in an object store. Its local twin has the same length: the
 * resident bytes at its beginning and its footer are there, the others are a hole. A reader demands
 * the bytes that it needs, in blocks; blocks are written into the mapped memory of the twin, whose
 * file never changes.
 *
 * Reading is synchronous and fetching is not. If a demanded block is absent, `demand` throws
 * `ColdMiss`; the caller awaits `fetchDemanded` and runs its work again (cold-cache.ts).
 */
import { crc32 } from 'node:zlib';
import { LhsError } from '@lakehouse-search/contract';
import type { Region } from './directory.ts';
import { corrupt } from './frame.ts';

/** Bytes of a block, the unit that is checked and fetched, of files that are cooled now. */
export const COLD_BLOCK_BYTES = 65_536;

/** The object that has all bytes of a cold file. */
export interface ColdObject {
  /** A folder, or `s3://bucket/prefix`. */
  readonly place: string;
  readonly key: string;
  /** Bytes of the file. */
  readonly length: number;
  readonly blockBytes: number;
  /** CRC-32 of each block. */
  readonly crcs: readonly number[];
  /** The window of the file, for messages: its first day (schema/windows.ts). */
  readonly window: number | null;
}

/** Demanded bytes are not here yet. Work that does not fetch them fails with it. */
export class ColdMiss extends LhsError {
  /** Name of the component in its segment. */
  readonly component: string;

  constructor(component: string) {
    super('unsupported', 'this work does not read cold windows', {
      hint: 'make the windows hot before',
    });
    this.component = component;
  }
}

/** Files with demanded blocks that are absent. */
export const demanded = new Set<ColdFile>();
/** Figures of this process. */
export const coldFigures = { hits: 0, misses: 0, bytesRead: 0, heldBytes: 0 };
/** All files with blocks in memory, for eviction. */
export const held = new Set<ColdFile>();
let collecting = 0;
let uses = 0;

/** Runs `work` so that demands of absent bytes are recorded and do not throw. */
export function collectDemands(work: () => void): void {
  collecting++;
  try {
    work();
  } finally {
    collecting--;
  }
}

/** A cold file that is mapped. */
export class ColdFile {
  readonly object: ColdObject;
  readonly component: string;
  readonly #region: Region;
  readonly #present: Uint8Array;
  readonly #wanted = new Set<number>();
  #absent: number;
  readonly #residentBlocks: number;
  readonly #residentBytes: number;
  /** Grows with each use: files that were not used for longest are evicted first. */
  lastUse = 0;

  /** Blocks of the first `residentBytes` are there. */
  constructor(object: ColdObject, component: string, region: Region, residentBytes: number) {
    const blocks = Math.ceil(object.length / object.blockBytes);
    if (region.length !== object.length || object.crcs.length !== blocks) {
      throw corrupt(object.key, 'its list of blocks is not of this file');
    }
    this.object = object;
    this.component = component;
    this.#region = region;
    const resident = Math.floor(residentBytes / object.blockBytes);
    this.#present = new Uint8Array(blocks).fill(1, 0, resident);
    this.#absent = blocks - resident;
    this.#residentBlocks = resident;
    this.#residentBytes = residentBytes;
  }

  /**
   * True if bytes are there, from an offset of the file on. Otherwise false while demands are
   * collected, and else throws ColdMiss.
   */
  demand(offset: number, bytes: number): boolean {
    this.lastUse = ++uses;
    if (this.#absent === 0 || offset + bytes <= this.#residentBytes) {
      coldFigures.hits++;
      return true;
    }
    const { blockBytes } = this.object;
    const from = Math.floor(offset / blockBytes);
    const to = Math.min(Math.ceil((offset + bytes) / blockBytes), this.#present.length);
    let absent = 0;
    for (let block = from; block < to; block++) {
      if (this.#present[block] === 1) continue;
      this.#wanted.add(block);
      absent++;
    }
    if (absent === 0) {
      coldFigures.hits++;
      return true;
    }
    coldFigures.misses += absent;
    demanded.add(this);
    if (collecting > 0) return false;
    throw new ColdMiss(this.component);
  }

  /** As `demand`, for all bytes. */
  demandAll(): boolean {
    return this.demand(0, this.object.length);
  }

  /** The demanded blocks that are absent, ascending; they are no longer demanded. */
  takeDemanded(): readonly number[] {
    const blocks = [...this.#wanted].filter((block) => this.#present[block] === 0);
    this.#wanted.clear();
    return blocks.sort((a, b) => a - b);
  }

  /** Takes the bytes of a block. Throws corrupt_index if they are not those of the file. */
  put(block: number, bytes: Uint8Array): void {
    if (this.#present[block] === 1) return;
    if (crc32(bytes) !== this.object.crcs[block]) throw damagedBlock(this.object, block);
    this.#region.bytes.set(bytes, block * this.object.blockBytes);
    this.#present[block] = 1;
    this.#absent--;
    coldFigures.heldBytes += bytes.length;
    held.add(this);
  }

  /** Gives the memory of all blocks back; they are absent then. Nobody may be reading. */
  evict(): void {
    for (let block = this.#residentBlocks; block < this.#present.length; block++) {
      if (this.#present[block] === 0) continue;
      this.#present[block] = 0;
      this.#absent++;
      const from = block * this.object.blockBytes;
      const bytes = Math.min(this.object.blockBytes, this.object.length - from);
      coldFigures.heldBytes -= bytes;
      const { pages, offset, bytes: memory } = this.#region;
      if (pages !== undefined) pages.leave(offset + from, bytes);
      else memory.fill(0, Math.max(from, this.#residentBytes), from + bytes);
    }
    held.delete(this);
  }

  /** Before the file is unmapped. */
  close(): void {
    this.evict();
    demanded.delete(this);
  }
}

/** The error of a block whose bytes are not those that were cooled. */
export const damagedBlock = ({ place, key }: ColdObject, block: number) =>
  corrupt(`${place}/${key}`, `block ${block} has another checksum`);
