/**
 * Every file of an index is one frame, little-endian:
 *
 *   0   8  magic 6C 68 73 66 0D 0A 1A 00 ("lhsf", CR LF, ^Z, 0: a text-mode copy shows)
 *   8   2  kind (FILE_KINDS)
 *   10  2  version of that kind
 *   12  4  zero
 *   16  8  payload length
 *   24  4  CRC-32 of bytes 0 .. 24
 *   28 36  zero
 *   64  n  payload
 *   64+n   4  CRC-32 (zlib's) of header and payload
 *   68+n   4  zero
 *   72+n   8  payload length again
 *
 * Opening checks header, footer and length, which any truncation breaks; `verifyFramed` checks
 * the CRC of every byte.
 */
import { crc32 } from 'node:zlib';
import { LhsError } from '@lakehouse-search/contract';
import { extendCrc } from '../base/bytes/extend-crc.ts';
import { MAX_FILE_BYTES } from './arena.ts';
import { type Directory, type FileWriter, type Region, writeFile } from './directory.ts';
import type { FilePart } from './spill.ts';

/** A kind of file: its number on disk, the version that is written, the oldest that is read. */
interface Kind {
  readonly number: number;
  readonly version: number;
  readonly oldest?: number;
}

/** What a frame holds. Numbers are never used again. */
export const FILE_KINDS = Object.freeze({
  commit: { number: 1, version: 3, oldest: 1 },
  verified: { number: 3, version: 1 },
  core: { number: 4, version: 1 },
  locators: { number: 5, version: 1 },
  live: { number: 6, version: 1 },
  inverted: { number: 7, version: 1 },
  numeric: { number: 8, version: 1 },
  ordinal: { number: 9, version: 1 },
  stored: { number: 10, version: 2, oldest: 1 },
  pin: { number: 11, version: 2, oldest: 1 },
  vector: { number: 12, version: 1 },
  graph: { number: 13, version: 1 },
  keys: { number: 14, version: 1 },
  hashes: { number: 15, version: 1 },
  blocks: { number: 16, version: 1 },
  files: { number: 17, version: 1 },
  buckets: { number: 18, version: 1 },
});
export type FileKind = keyof typeof FILE_KINDS;

export const FRAME_HEADER_BYTES = 64;
export const FRAME_FOOTER_BYTES = 16;
const MAGIC = Uint8Array.of(0x6c, 0x68, 0x73, 0x66, 0x0d, 0x0a, 0x1a, 0x00);
/** Files of so many bytes are verified step by step. */
const LARGE_BYTES = 32 * 2 ** 20;
const STEP_BYTES = 4 * 2 ** 20;
/** A file is mapped whole. */
const MAX_PAYLOAD_BYTES = MAX_FILE_BYTES - FRAME_HEADER_BYTES - FRAME_FOOTER_BYTES;

/** What a commit remembers of a file: its whole length in bytes and the CRC-32 of its footer. */
export interface FileSeal {
  readonly length: number;
  readonly crc: number;
}

/**
 * Writes, flushes and closes a framed file whose payload is the parts in a row. Nothing is
 * visible after an error.
 */
export function writeFramed(
  directory: Directory,
  name: string,
  kind: FileKind,
  parts: readonly FilePart[],
): FileSeal {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > MAX_PAYLOAD_BYTES) {
    throw new LhsError(
      'limit_exceeded',
      `"${directory.path}/${name}" would hold ${length} bytes: at most ` +
        `${MAX_PAYLOAD_BYTES} fit a file`,
      { hint: 'use smaller segments' },
    );
  }
  const header = frameHeader(kind, length);
  let crc = crc32(header);
  writeFile(directory, name, (writer) => {
    writer.write(header);
    for (const part of parts) crc = writePart(writer, part, crc);
    writer.write(frameFooter(crc, length));
  });
  return { length: FRAME_HEADER_BYTES + length + FRAME_FOOTER_BYTES, crc };
}

/** The bytes of a framed file. */
export function framed(kind: FileKind, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const bytes = Buffer.concat([frameHeader(kind, length), payload]);
  return Buffer.concat([bytes, frameFooter(crc32(bytes), length)]);
}

/** Writes a part; returns the CRC-32 of all bytes up to its end. */
function writePart(writer: FileWriter, part: FilePart, before: number): number {
  let crc = before;
  for (const piece of part instanceof Uint8Array ? [part] : part.pieces()) {
    crc = extendCrc(crc, piece);
    if (piece.length > 0) writer.write(piece);
  }
  return crc;
}

function frameHeader(kind: FileKind, length: number): Uint8Array {
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint16(8, FILE_KINDS[kind].number, true);
  view.setUint16(10, FILE_KINDS[kind].version, true);
  view.setBigUint64(16, BigInt(length), true);
  view.setUint32(24, crc32(header.subarray(0, 24)), true);
  return header;
}

function frameFooter(crc: number, length: number): Uint8Array {
  const footer = new Uint8Array(FRAME_FOOTER_BYTES);
  const view = new DataView(footer.buffer);
  view.setUint32(0, crc, true);
  view.setBigUint64(8, BigInt(length), true);
  return footer;
}

/**
 * A mapped framed file. `payload` is a part of the file's region; releasing either gives both
 * back.
 */
export interface FramedFile {
  readonly name: string;
  /** Path for messages. */
  readonly path: string;
  readonly file: Region;
  readonly payload: Region;
  readonly seal: FileSeal;
}

/**
 * Maps a framed file and checks its structure: magic, kind, version, length, and, where the
 * commit's seal is given, that this is the very file the commit means. Throws corrupt_index, or
 * unsupported for another format version.
 */
export function openFramed(
  directory: Directory,
  name: string,
  kind: FileKind,
  expected?: FileSeal,
): FramedFile {
  const file = directory.open(name);
  const path = `${directory.path}/${name}`;
  try {
    const seal = checkFrame(file.bytes, path, kind);
    requireSeal(seal, expected, path);
    return { name, path, file, payload: payloadOf(file), seal };
  } catch (error) {
    file.release();
    throw error;
  }
}

function requireSeal(seal: FileSeal, expected: FileSeal | undefined, path: string): void {
  if (expected === undefined) return;
  if (seal.length === expected.length && seal.crc === expected.crc) return;
  throw corrupt(path, 'it is not the file that the commit names (length or checksum differ)');
}

/**
 * Checks the checksum over every byte of an open framed file. Throws corrupt_index. A large file is
 * gone through in steps whose pages are let go, so that it does not have to fit into memory.
 */
export function verifyFramed({ file, path, seal }: FramedFile): void {
  const { bytes, pages, offset } = file;
  if (pages === undefined || bytes.length < LARGE_BYTES) {
    verifyBytes(bytes, path, seal.crc);
    return;
  }
  let crc = 0;
  const end = bytes.length - FRAME_FOOTER_BYTES;
  for (let from = 0; from < end; from += STEP_BYTES) {
    const step = bytes.subarray(from, Math.min(from + STEP_BYTES, end));
    crc = extendCrc(crc, step);
    pages.leave(offset + from, step.length);
  }
  requireCrc(crc, seal.crc, path);
}

/**
 * Reads a small framed file into memory, every byte checked, and that it is the file of `expected`.
 * Returns its payload. Throws corrupt_index.
 */
export function readFramed(
  directory: Directory,
  name: string,
  kind: FileKind,
  expected?: FileSeal,
): Uint8Array {
  const bytes = directory.read(name);
  const path = `${directory.path}/${name}`;
  const seal = checkFrame(bytes, path, kind);
  requireSeal(seal, expected, path);
  verifyBytes(bytes, path, seal.crc);
  return bytes.subarray(FRAME_HEADER_BYTES, bytes.length - FRAME_FOOTER_BYTES);
}

function verifyBytes(bytes: Uint8Array, path: string, expected: number): void {
  requireCrc(crc32(bytes.subarray(0, bytes.length - FRAME_FOOTER_BYTES)), expected, path);
}

function requireCrc(found: number, expected: number, path: string): void {
  if (found === expected) return;
  const [a, b] = [found, expected].map((crc) => crc.toString(16).padStart(8, '0'));
  throw corrupt(path, `its checksum is ${a}, expected ${b}`);
}

function payloadOf(file: Region): Region {
  const length = file.length - FRAME_HEADER_BYTES - FRAME_FOOTER_BYTES;
  return {
    arena: file.arena,
    offset: file.offset + FRAME_HEADER_BYTES,
    length,
    bytes: file.bytes.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + length),
    ...(file.pages !== undefined && { pages: file.pages }),
    release: () => file.release(),
  };
}

function checkFrame(bytes: Uint8Array, path: string, kind: FileKind): FileSeal {
  if (bytes.length < FRAME_HEADER_BYTES + FRAME_FOOTER_BYTES) {
    throw corrupt(path, `it has ${bytes.length} bytes, fewer than a header and a footer`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) throw corrupt(path, 'it is not an lhs file');
  if (view.getUint32(24, true) !== crc32(bytes.subarray(0, 24))) {
    throw corrupt(path, 'its header is damaged');
  }
  checkKind(view, path, kind);
  const length = bytes.length - FRAME_HEADER_BYTES - FRAME_FOOTER_BYTES;
  const footer = bytes.length - FRAME_FOOTER_BYTES;
  const lengths = [view.getBigUint64(16, true), view.getBigUint64(footer + 8, true)];
  if (lengths.some((found) => found !== BigInt(length)) || view.getUint32(footer + 4, true) !== 0) {
    throw corrupt(
      path,
      `its payload has ${length} bytes, expected ${lengths[0]}: it was cut short`,
    );
  }
  return { length: bytes.length, crc: view.getUint32(footer, true) };
}

function checkKind(view: DataView, path: string, kind: FileKind): void {
  const { number, version, oldest = version }: Kind = FILE_KINDS[kind];
  if (view.getUint16(8, true) !== number) {
    throw corrupt(path, `it is of kind ${view.getUint16(8, true)}, expected ${number} (${kind})`);
  }
  const found = view.getUint16(10, true);
  if (found >= oldest && found <= version) return;
  throw new LhsError(
    'unsupported',
    `"${path}" has format version ${found} of kind "${kind}", this lhs reads version ${version}`,
    {
      hint: 'use the lhs that wrote it, or build the index again with this one',
      next: [{ step: 'reindex' }],
    },
  );
}

/** The error of a file whose bytes are not what was written. */
export function corrupt(path: string, why: string): LhsError {
  return new LhsError('corrupt_index', `"${path}" is damaged: ${why}`, {
    hint: 'build the index again from its table, which is not touched',
    next: [{ step: 'reindex' }],
    details: { file: path },
  });
}
