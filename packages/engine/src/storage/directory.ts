/** Demands bytes of a cold file. */
export type Demand = (offset: number, bytes: number) => void;

/**
 * A piece of an arena that holds a file's bytes. Offsets inside an arena are below 2^31, so that
 * every byte address and every word index is an int32. Views of an arena never move.
 */
export interface Region {
  readonly arena: Arena;
  /** Byte offset in the arena's memory, 64-byte aligned. */
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  /** Where a file is mapped: which of its pages are in memory. Absent: all of them, always. */
  readonly pages?: Pages;
  /**
   * Maps another open file of the same length instead; false where the system refuses. Absent: no
   * file is mapped.
   */
  readonly remap?: (descriptor: number) => boolean;
  /** Where no file is mapped: gives the memory of whole pages back, whose bytes are lost. */
  readonly clear?: (offset: number, bytes: number) => void;
  /**
   * Of a cold file: its bytes have to be demanded, by address in the arena, before they are read.
   * While demands are collected, it returns although they are absent. Absent: all are here.
   */
  readonly demand?: Demand;
  /** As `demand`, for bytes that are read at once: throws if they are absent. */
  readonly need?: Demand;
  /** Of a cold file: whether bytes are here. */
  readonly has?: (offset: number, bytes: number) => boolean;
  /** Gives the space back (unmaps). Idempotent. Nothing may read the region afterwards. */
  release(): void;
}

/**
 * Hints about the pages of a mapped file, for ranges that lie inside of it; `offset` is one of the
 * arena's. Reading gives the same before and after.
 */
export interface Pages {
  /** These bytes are about to be read, one behind the other. */
  want(offset: number, bytes: number): void;
  /** These bytes will not be read again soon: whole pages of them leave the process's memory. */
  leave(offset: number, bytes: number): void;
}

/** A `WebAssembly.Memory`, in programs that have no types of a browser too. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/**
 * A WebAssembly memory in which files are mapped (or read), so that kernels and typed arrays see
 * the same bytes.
 */
export interface Arena {
  readonly memory: WasmMemory;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  readonly view: DataView;
  /** Zeroed scratch space, 64-byte aligned. Throws limit_exceeded when the arena is full. */
  allocate(bytes: number): Region;
}

/**
 * A file being written: append only, then `finish` (flush + fsync + close). A failed write leaves
 * nothing visible.
 */
export interface FileWriter {
  readonly name: string;
  readonly written: number;
  write(bytes: Uint8Array): void;
  /** Leaves a hole, which reads as zeros; bytes have to follow. */
  skip(bytes: number): void;
  finish(): void;
  /** Closes and removes the file. Idempotent; safe after a failure. */
  abort(): void;
}

/**
 * A flat folder of immutable files (write once, read many; the manifests are the only names that
 * are replaced, by rename). Two homes: local files mapped into an arena, and memory (tests,
 * faults).
 */
export interface Directory {
  /** Where it is, for messages. */
  readonly path: string;
  list(): readonly string[];
  size(name: string): number;
  /**
   * A text that changes whenever the file's bytes are written through the file system (device,
   * inode, size, times), or null where nothing of the kind is known.
   */
  stamp(name: string): string | null;
  /** Reads a small file whole (manifests). */
  read(name: string): Uint8Array;
  /** Maps a file. Throws corrupt_index when it is missing. */
  open(name: string): Region;
  create(name: string): FileWriter;
  /** Atomic replace, then fsync of the folder. */
  rename(from: string, to: string): void;
  remove(name: string): void;
  /** fsync of the folder itself. */
  sync(): void;
}

/** Writes a file; if `write` fails, nothing of it stays. Throws io_error, disk_full. */
export function writeFile(
  directory: Directory,
  name: string,
  write: (writer: FileWriter) => void,
): void {
  const writer = directory.create(name);
  try {
    write(writer);
    writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** Writes a file of `length` bytes with a hole between its first and its last bytes. */
export const writeWithHole = (
  directory: Directory,
  name: string,
  length: number,
  [first, last]: readonly [Uint8Array, Uint8Array],
): void =>
  writeFile(directory, name, (writer) => {
    writer.write(first);
    writer.skip(length - first.length - last.length);
    writer.write(last);
  });
