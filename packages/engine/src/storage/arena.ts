import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LhsError } from '../base/errors.ts';
import type { Arena, Region } from './directory.ts';

/**
 * Arenas: WebAssembly memories of fixed size, below 2 GiB so that every address is an int32.
 * Untouched pages cost nothing. Files are mapped over page-aligned parts of them (mmap MAP_FIXED,
 * private, so that a stray write reaches no file); without koffi, or with LHS_MMAP=0, they are read
 * into place. Releasing a region puts zero pages back and recycles the space.
 */
const WASM_PAGE = 65_536;
const ARENA_BYTES = 1 << 30;
const PAGE = 4096;
/**
 * The start of every arena belongs to kernels: clause descriptors, emitted documents, impact
 * tables.
 */
export const KERNEL_BYTES = 1 << 20;
/** Readers may look a few words past the end of a structure. */
const SLACK = 64;

const PROT_READ_WRITE = 3;
const MAP_PRIVATE_FIXED = 0x12;
const MAP_ANONYMOUS = 0x20;

interface Mapper {
  /**
   * Maps `length` bytes of an open file at an address of the memory; false where the system
   * refuses.
   */
  map(address: bigint, length: number, descriptor: number): boolean;
  /** Puts zero pages there. */
  clear(address: bigint, length: number): boolean;
  addressOf(memory: WebAssembly.Memory): bigint;
}

const arenas: MappedArena[] = [];

/**
 * Maps a file into an arena with room for it; a new arena is made where none has. Throws io errors
 * of the system.
 */
export function mapFile(path: string): Region {
  const descriptor = openSync(path, 'r');
  try {
    return withRoom(fstatSync(descriptor).size, (arena, size) => arena.load(descriptor, size));
  } finally {
    closeSync(descriptor);
  }
}

function withRoom(
  size: number,
  place: (arena: MappedArena, size: number) => Region | null,
): Region {
  for (const arena of arenas) {
    const region = place(arena, size);
    if (region !== null) return region;
  }
  const arena = new MappedArena(
    Math.max(ARENA_BYTES, roundUp(size + SLACK, WASM_PAGE) + KERNEL_BYTES),
  );
  arenas.push(arena);
  const region = place(arena, size);
  if (region !== null) return region;
  throw new LhsError('limit_exceeded', `a file of ${size} bytes is larger than an arena`);
}

const roundUp = (n: number, unit: number): number => Math.ceil(n / unit) * unit;

/** A free stretch of an arena: whole pages. */
interface Free {
  offset: number;
  length: number;
}

class MappedArena implements Arena {
  readonly memory: WebAssembly.Memory;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  readonly view: DataView;
  readonly #base: bigint;
  readonly #free: Free[];

  constructor(bytes: number) {
    if (bytes > 2 ** 31 - WASM_PAGE) {
      throw new LhsError('limit_exceeded', `an arena of ${bytes} bytes is above 2 GiB`);
    }
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
    this.#free = [{ offset: KERNEL_BYTES, length: bytes - KERNEL_BYTES }];
  }

  allocate(bytes: number): Region {
    const offset = this.#take(bytes);
    if (offset === null)
      throw new LhsError('limit_exceeded', `an arena has no ${bytes} bytes left`);
    return this.#region(offset, bytes);
  }

  /** A region with the file's bytes, or null where there is no room. */
  load(descriptor: number, size: number): Region | null {
    const offset = this.#take(size);
    if (offset === null) return null;
    const mapped =
      size > 0 && mapper()?.map(this.#base + BigInt(offset), size, descriptor) === true;
    if (!mapped) readInto(descriptor, this.u8, offset, size);
    return this.#region(offset, size);
  }

  #take(bytes: number): number | null {
    const length = roundUp(bytes + SLACK, PAGE);
    const at = this.#free.findIndex((free) => free.length >= length);
    if (at < 0) return null;
    const free = this.#free[at];
    const { offset } = free;
    free.offset += length;
    free.length -= length;
    if (free.length === 0) this.#free.splice(at, 1);
    return offset;
  }

  #region(offset: number, length: number): Region {
    let released = false;
    return {
      arena: this,
      offset,
      length,
      bytes: this.u8.subarray(offset, offset + length),
      release: () => {
        if (released) return;
        released = true;
        this.#give(offset, roundUp(length + SLACK, PAGE));
      },
    };
  }

  #give(offset: number, length: number): void {
    const cleared = mapper()?.clear(this.#base + BigInt(offset), length) === true;
    if (!cleared) this.u8.fill(0, offset, offset + length);
    const at = this.#free.findIndex((free) => free.offset > offset);
    this.#free.splice(at < 0 ? this.#free.length : at, 0, { offset, length });
    for (let i = this.#free.length - 1; i > 0; i--) {
      const [before, after] = [this.#free[i - 1], this.#free[i]];
      if (before.offset + before.length !== after.offset) continue;
      before.length += after.length;
      this.#free.splice(i, 1);
    }
  }
}

function readInto(descriptor: number, into: Uint8Array, offset: number, size: number): void {
  for (let at = 0; at < size; ) {
    const read = readSync(descriptor, into, offset + at, size - at, at);
    if (read === 0) throw new LhsError('corrupt_index', `a file ended at byte ${at} of ${size}`);
    at += read;
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
    const koffi = createRequire(import.meta.url)('koffi');
    const libc = koffi.load(null);
    const mmap = libc.func('void *mmap(uintptr_t, size_t, int, int, int, int64_t)');
    const fixed = (address: bigint, length: number, flags: number, descriptor: number) =>
      koffi.address(mmap(address, length, PROT_READ_WRITE, flags, descriptor, 0)) === address;
    return {
      map: (address, length, descriptor) => fixed(address, length, MAP_PRIVATE_FIXED, descriptor),
      clear: (address, length) => fixed(address, length, MAP_PRIVATE_FIXED | MAP_ANONYMOUS, -1),
      addressOf: (memory) => BigInt(koffi.address(memory.buffer)),
    };
  } catch {
    return null;
  }
}
