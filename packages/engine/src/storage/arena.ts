import { closeSync, fstatSync, openSync, readSync, statfsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import type { Arena, Pages, Region } from './directory.ts';
import { FreeSpace } from './free-space.ts';
import { loadKoffi } from './load-koffi.ts';

/**
 * Arenas: WebAssembly memories of fixed size, below 2 GiB so that every address is an int32.
 * Untouched pages cost nothing. Files are mapped over page-aligned parts of them (mmap MAP_FIXED,
 * private, so that a stray write reaches no file); without koffi, with LHS_MMAP=0, and with holes
 * in a tmpfs, they are read into place. Releasing a region puts zero pages back and recycles the
 * space.
 *
 *   0             kernels (KERNEL_BYTES)
 *   1 MiB         files
 *   end - 256 MiB work: what queries allocate beside the files that they read (WORK_BYTES); a file
 *                 never takes it, so however much is mapped, a query finds room in the arena of
 *                 its postings. Kernels take 8 terms of 16 bytes a posting of at most docs / 24:
 *                 about 110 MB in the largest segment (LIMITS.segmentDocs)
 */
const WASM_PAGE = 65_536;
const ARENA_BYTES = 1 << 30;
const PAGE = 4096;
/**
 * The start of every arena belongs to kernels: clause descriptors, emitted documents, impact
 * tables.
 */
export const KERNEL_BYTES = 1 << 20;
const WORK_BYTES = 1 << 28;
/** Every address is an int32. */
const MAX_BYTES = 2 ** 31 - WASM_PAGE;
/** Readers may look a few words past the end of a structure. */
const SLACK = 64;
/** The largest file that an arena holds, just below 1.75 GiB: none is written that is larger. */
export const MAX_FILE_BYTES = MAX_BYTES - KERNEL_BYTES - WORK_BYTES - SLACK;

/** `blocks` of a file's status are of this size. */
const DISK_BLOCK = 512;

const PROT_READ_WRITE = 3;
const MAP_PRIVATE_FIXED = 0x12;
const MAP_ANONYMOUS = 0x20;
const MADV_DONTNEED = 4;
/** Linux 5.14; refused before, and pages come when they are read. */
const MADV_POPULATE_READ = 22;
const SEEK_DATA = 3;
const SEEK_HOLE = 4;
/** `statfs` says so of files that are in memory. */
const TMPFS = 0x0102_1994;

interface Mapper {
  /**
   * Maps `length` bytes of an open file at an address of the memory; false where the system
   * refuses.
   */
  map(address: bigint, length: number, descriptor: number): boolean;
  /** Puts zero pages there. */
  clear(address: bigint, length: number): boolean;
  /** Tells the system about whole pages; what it makes of it does not change what is read. */
  advise(address: bigint, length: number, advice: number): void;
  /** Where bytes or a hole of an open file begin, from an offset on; negative: nowhere. */
  seek(descriptor: number, offset: number, what: number): number;
  addressOf(memory: WebAssembly.Memory): bigint;
}

const arenas: MappedArena[] = [];

/**
 * Maps a file into an arena with room for it; a new arena is made where none has. Throws
 * limit_exceeded for a file that no arena can hold, and io errors of the system.
 */
export function mapFile(path: string): Region {
  const descriptor = openSync(path, 'r');
  try {
    const { size, blocks } = fstatSync(descriptor);
    const isWhole = DISK_BLOCK * blocks >= size || holesAreFree(path);
    return withRoom(size, (arena) => arena.load(descriptor, size, isWhole));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether the holes of a file take nothing when they are read where the file is mapped. In a full
 * tmpfs, such a read kills the process (SIGBUS).
 */
export const holesAreFree = (path: string): boolean => statfsSync(path).type !== TMPFS;

function withRoom(size: number, place: (arena: MappedArena) => Region | null): Region {
  for (const arena of arenas) {
    const region = place(arena);
    if (region !== null) return region;
  }
  const needed = roundUp(size + SLACK, WASM_PAGE) + KERNEL_BYTES + WORK_BYTES;
  if (needed <= MAX_BYTES) {
    const arena = new MappedArena(Math.max(ARENA_BYTES, needed));
    arenas.push(arena);
    const region = place(arena);
    if (region !== null) return region;
  }
  throw new LhsError(
    'limit_exceeded',
    `a file of ${size} bytes does not fit into memory that is mapped`,
    { hint: 'build the index again: that keeps segments smaller', next: [{ step: 'reindex' }] },
  );
}

const roundUp = (n: number, unit: number): number => Math.ceil(n / unit) * unit;

class MappedArena implements Arena {
  readonly memory: WebAssembly.Memory;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  readonly view: DataView;
  readonly #base: bigint;
  readonly #pages: Pages;
  readonly #files: FreeSpace;
  readonly #work: FreeSpace;

  constructor(bytes: number) {
    this.memory = new WebAssembly.Memory({
      initial: bytes / WASM_PAGE,
      maximum: bytes / WASM_PAGE,
    });
    const { buffer } = this.memory;
    this.u8 = new Uint8Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.view = new DataView(buffer);
    this.#base = mapper()?.addressOf(this.memory) ?? 0n;
    this.#pages = {
      want: (offset, length) => this.#advise(offset & -PAGE, offset + length, MADV_POPULATE_READ),
      leave: (offset, length) =>
        this.#advise(roundUp(offset, PAGE), (offset + length) & -PAGE, MADV_DONTNEED),
    };
    this.#files = new FreeSpace(KERNEL_BYTES, bytes - WORK_BYTES);
    this.#work = new FreeSpace(bytes - WORK_BYTES, bytes);
  }

  allocate(bytes: number): Region {
    for (const space of [this.#work, this.#files]) {
      const offset = space.take(pagesOf(bytes));
      if (offset !== null) return this.#region(space, offset, bytes);
    }
    throw new LhsError('limit_exceeded', `an arena has no ${bytes} bytes left`);
  }

  /** A region with the file's bytes, mapped if it may be, or null where there is no room. */
  load(descriptor: number, size: number, mayMap: boolean): Region | null {
    const offset = this.#files.take(pagesOf(size));
    if (offset === null) return null;
    const address = this.#base + BigInt(offset);
    const mapped = mayMap && size > 0 && mapper()?.map(address, size, descriptor) === true;
    const region = this.#region(this.#files, offset, size, mapped);
    try {
      if (!mapped) readInto(descriptor, region.bytes);
      return region;
    } catch (error) {
      region.release();
      throw error;
    }
  }

  #region(space: FreeSpace, offset: number, length: number, mapped = false): Region {
    let released = false;
    return {
      arena: this,
      offset,
      length,
      ...(mapped && {
        pages: this.#pages,
        remap: (descriptor: number) =>
          mapper()?.map(this.#base + BigInt(offset), length, descriptor) === true,
      }),
      ...(!mapped && { clear: this.#pages.leave }),
      bytes: this.u8.subarray(offset, offset + length),
      release: () => {
        if (released) return;
        released = true;
        this.#clear(offset, pagesOf(length));
        space.give(offset, pagesOf(length));
      },
    };
  }

  #advise(from: number, to: number, advice: number): void {
    if (to > from) mapper()?.advise(this.#base + BigInt(from), to - from, advice);
  }

  #clear(offset: number, length: number): void {
    const cleared = mapper()?.clear(this.#base + BigInt(offset), length) === true;
    if (!cleared) this.u8.fill(0, offset, offset + length);
  }
}

/** Bytes that a region takes: whole pages, with slack. */
const pagesOf = (bytes: number): number => roundUp(bytes + SLACK, PAGE);

/** Reads a file; its holes take no memory where they are known. */
function readInto(descriptor: number, into: Uint8Array): void {
  const size = into.length;
  const seek = (offset: number, what: number) => mapper()?.seek(descriptor, offset, what);
  for (let at = seek(0, SEEK_DATA) ?? 0; at >= 0 && at < size; at = seek(at, SEEK_DATA) ?? size) {
    const end = Math.min(size, seek(at, SEEK_HOLE) ?? size);
    while (at < end) {
      const read = readSync(descriptor, into, at, end - at, at);
      if (read === 0) throw new LhsError('corrupt_index', `a file ended at byte ${at} of ${size}`);
      at += read;
    }
  }
}

let known: Mapper | null | undefined;

/** mmap of the C library, or null where it is not to be had. */
function mapper(): Mapper | null {
  if (known === undefined) known = process.env.LHS_MMAP === '0' ? null : loadMapper();
  return known;
}

function loadMapper(): Mapper | null {
  if (process.platform !== 'linux') return null;
  try {
    const koffi = loadKoffi();
    const libc = koffi.load(null);
    const mmap = libc.func('void *mmap(uintptr_t, size_t, int, int, int, int64_t)');
    const lseek = libc.func('int64_t lseek(int, int64_t, int)');
    const madvise = libc.func('int madvise(uintptr_t, size_t, int)');
    const fixed = (address: bigint, length: number, flags: number, descriptor: number) =>
      koffi.address(mmap(address, length, PROT_READ_WRITE, flags, descriptor, 0)) === address;
    return {
      map: (address, length, descriptor) => fixed(address, length, MAP_PRIVATE_FIXED, descriptor),
      advise: (address, length, advice) => madvise(address, length, advice),
      seek: (descriptor, offset, what) => Number(lseek(descriptor, offset, what)),
      clear: (address, length) => fixed(address, length, MAP_PRIVATE_FIXED | MAP_ANONYMOUS, -1),
      addressOf: (memory) => BigInt(koffi.address(memory.buffer)),
    };
  } catch {
    return null;
  }
}
