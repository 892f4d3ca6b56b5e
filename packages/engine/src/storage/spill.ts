import type { Directory, FileWriter } from './directory.ts';

/** Bytes of a file that come in pieces; they can be taken once, and a piece only until the next. */
export interface StreamedPart {
  readonly length: number;
  pieces(): Iterable<Uint8Array>;
}
/** Bytes of a file in memory, or in pieces. */
export type FilePart = Uint8Array | StreamedPart;

/** All parts in memory. */
export const inMemory = (parts: readonly FilePart[]): Uint8Array[] =>
  parts.flatMap((part) =>
    part instanceof Uint8Array ? [part] : Array.from(part.pieces(), (piece) => piece.slice()),
  );

/** Bytes of a piece that is read again. */
const PIECE_BYTES = 4 * 2 ** 20;

/**
 * Bytes that are written aside because memory should not hold them, in a file that exists only
 * until they are read. After an error the file is an orphan of the folder.
 */
export class Spill {
  readonly #directory: Directory;
  readonly #name: string;
  #writer: FileWriter | null = null;
  #length = 0;

  constructor(directory: Directory, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  /** Bytes that were written. */
  get length(): number {
    return this.#length;
  }

  /** Appends bytes. Throws disk_full, io_error. */
  write(bytes: Uint8Array): void {
    this.#writer ??= this.#directory.create(this.#name);
    this.#writer.write(bytes);
    this.#length += bytes.length;
  }

  /** Completes the file, so that another thread can read it. Throws disk_full, io_error. */
  finish(): void {
    this.#writer ??= this.#directory.create(this.#name);
    this.#writer.finish();
  }

  /** All bytes in their order; then the file is removed. Throws io_error. */
  *pieces(): Generator<Uint8Array> {
    if (this.#writer === null) return;
    this.#writer.finish();
    yield* spilledPieces(this.#directory, this.#name);
  }
}

/** The bytes of a complete spill in their order; then the file is removed. Throws io_error. */
export function* spilledPieces(directory: Directory, name: string): Generator<Uint8Array> {
  const { bytes, pages, offset, release } = directory.open(name);
  const piece = new Uint8Array(Math.min(PIECE_BYTES, bytes.length));
  try {
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      const own = piece.subarray(0, Math.min(PIECE_BYTES, bytes.length - from));
      own.set(bytes.subarray(from, from + own.length));
      pages?.leave(offset + from, own.length);
      yield own;
    }
  } finally {
    release();
    directory.remove(name);
  }
}
