/**
 * A bundle: the files that a commit added, as one object of a store (docs/format.md, "Published
 * indexes"). First come the files that are read in blocks, some in regions (page-region.ts), then
 * those that are read whole, then the opening. A reader fetches the end of the object, from the
 * first whole file on.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BlockPlaces } from '../storage/cold-file.ts';
import { corrupt, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { type FileShape, type PageRegion, placesIn } from './layout/page-region.ts';

/** Bytes of a block, the unit that is checked, unless a file says otherwise. */
export const BUNDLE_BLOCK = 65_536;

/** A file of a bundle. */
export interface BundleFile extends BlockPlaces {
  /** Its name in the folder of its generation. */
  readonly name: string;
  readonly length: number;
  readonly offset: number;
  /** Bytes of a block. */
  readonly block: number;
  /** CRC-32 of each block of the file. That of a frame in one block depends on its length only. */
  readonly crcs: readonly number[];
  /** Of the file, hexadecimal; bundles of older versions lack it. */
  readonly sha256?: string | undefined;
  /** Of a file that is read in blocks: its first bytes, which the opening repeats. */
  readonly resident: Uint8Array | null;
  /** The last 16 bytes of such a file. */
  readonly footer: Uint8Array | null;
}

/** A bundle as a commit names it. */
export interface BundleRef {
  /** The end of its key. */
  readonly object: string;
  readonly size: number;
  /** Where the files begin that are read whole. */
  readonly whole: number;
  /** Where the opening begins, and its CRC-32. */
  readonly opening: number;
  readonly crc: number;
  /** The UUID of the index that has it, if this is a branch of it. */
  readonly family?: string;
  /** Of the opening, hexadecimal; bundles of older versions lack it. */
  readonly sha256?: string | undefined;
}

/** What the JSON of an opening says of a file. */
interface ListedFile {
  readonly name: string;
  readonly length: number;
  readonly offset: number;
  /** Bytes of a block; absent: as those of the bundle. */
  readonly block?: number;
  readonly resident?: number;
  readonly sha256?: string | undefined;
}

/** The JSON of an opening. */
interface ListedFiles {
  readonly block: number;
  readonly files: readonly ListedFile[];
  /** `blocks`: how many a region has. */
  readonly regions?: readonly (Omit<PageRegion, 'order'> & { readonly blocks: number })[];
}

/**
 * The opening of a bundle: u32 n, n bytes of JSON, zeros up to a multiple of 4, the checksums of
 * all blocks, then the first bytes and the footer of each file that is read in blocks, then the
 * order of each region.
 */
export function encodeOpening(
  files: readonly BundleFile[],
  regions: readonly PageRegion[] = [],
): Uint8Array {
  const listed = files.map(({ name, length, offset, block, resident, sha256 }): ListedFile => {
    const first = resident === null ? {} : { resident: resident.length };
    const own = block === BUNDLE_BLOCK ? {} : { block };
    return { name, length, offset, ...own, ...first, sha256 };
  });
  const placed = regions.map(({ order, ...region }) => ({ ...region, blocks: order.length }));
  const all: ListedFiles = {
    ...{ block: BUNDLE_BLOCK, files: listed },
    ...(placed.length > 0 && { regions: placed }),
  };
  const json = Buffer.from(JSON.stringify(all));
  const head = Buffer.alloc(headBytes(json.length));
  head.writeUInt32LE(json.length);
  json.copy(head, 4);
  const crcs = Buffer.alloc(4 * files.reduce((sum, file) => sum + file.crcs.length, 0));
  files
    .flatMap((file) => file.crcs)
    .forEach((crc, i) => {
      crcs.writeUInt32LE(crc, 4 * i);
    });
  const ends = files.flatMap(({ resident, footer }) =>
    resident === null || footer === null ? [] : [resident, footer],
  );
  const orders = regions.map(({ order }) => littleEndian(order));
  return Buffer.concat([head, crcs, ...ends, ...orders]);
}

/** Reads an opening. Throws corrupt_index for bytes that are none; `path` is for messages. */
export function readOpening(bytes: Buffer, ref: BundleRef, path: string): readonly BundleFile[] {
  const isRight =
    crc32(bytes) === ref.crc && (ref.sha256 ?? digestOfBytes(bytes)) === digestOfBytes(bytes);
  if (!isRight) throw corrupt(path, 'its opening has another checksum');
  try {
    const size = bytes.readUInt32LE();
    const json = JSON.parse(bytes.toString('utf8', 4, 4 + size)) as ListedFiles;
    const { block, regions = [] } = json;
    if (block !== BUNDLE_BLOCK) throw new RangeError(`blocks of ${block} bytes`);
    const cut = cutter(bytes, headBytes(size));
    const listed = json.files.map((file) => ({ ...file, block: file.block ?? block }));
    const crcs = listed.map((file) => sumsIn(cut(4 * blocksOf(file))));
    const files = listed.map(({ resident, ...file }, i) => ({
      ...file,
      crcs: crcs[i],
      resident: resident === undefined ? null : cut(resident),
      footer: resident === undefined ? null : cut(FRAME_FOOTER_BYTES),
    }));
    const orders = regions.map(({ blocks, ...region }) => {
      return { ...region, order: numbersIn(cut(2 * blocks)) };
    });
    const places = placesIn(orders, files);
    return files.map((file, i) => ({ ...file, ...places.get(i) }));
  } catch (error) {
    throw corrupt(path, `its opening cannot be read: ${(error as Error).message}`);
  }
}

/** The SHA-256 of bytes, hexadecimal. */
export const digestOfBytes = (bytes: Uint8Array): string => hash('sha256', bytes);

/** The next bytes, each time from where the last ones ended. */
function cutter(bytes: Buffer, from: number): (length: number) => Buffer {
  let at = from;
  return (length) => {
    const cut = bytes.subarray(at, at + length);
    if (cut.length !== length) throw new RangeError('it ends too early');
    at += length;
    return cut;
  };
}

/** Bytes of the JSON with its length, and zeros up to a multiple of 4. */
const headBytes = (json: number): number => 4 * Math.ceil((4 + json) / 4);

const sumsIn = (bytes: Buffer): readonly number[] =>
  Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));

const numbersIn = (bytes: Buffer): Uint16Array =>
  Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i));

function littleEndian(numbers: Uint16Array): Buffer {
  const bytes = Buffer.alloc(2 * numbers.length);
  numbers.forEach((number, i) => {
    bytes.writeUInt16LE(number, 2 * i);
  });
  return bytes;
}

/** Blocks of a file. */
const blocksOf = ({ length, block }: FileShape): number => Math.ceil(length / block);

/**
 * Names of files in bundles. No part can leave the folder of an index; embedding caches are in
 * pieces, so that only those are copied that were added.
 */
export const BUNDLED_NAME =
  /^([a-z0-9][a-z0-9._-]{0,199}|embeddings\/[0-9a-f]{32}\/\d{6,15}\.(keys|vectors)\/\d{6})$/;

/** The CRC-32 of each block of bytes that begin at the begin of one. */
export const blockSums = (bytes: Uint8Array, block = BUNDLE_BLOCK): readonly number[] =>
  Array.from({ length: Math.ceil(bytes.length / block) }, (_, i) =>
    crc32(bytes.subarray(i * block, (i + 1) * block)),
  );

/** Throws corrupt_index unless these are the bytes of a file of a bundle. */
export function checkFile(
  { name, crcs, length, block }: BundleFile,
  bytes: Uint8Array,
  path: string,
): void {
  const sums = blockSums(bytes, block);
  const damaged = crcs.findIndex((crc, i) => crc !== sums[i]);
  if (bytes.length === length && damaged < 0) return;
  throw corrupt(path, `block ${Math.max(damaged, 0)} of "${name}" has another checksum`);
}
