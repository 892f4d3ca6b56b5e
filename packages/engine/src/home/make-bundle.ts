import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectParts } from '@lakehouse-search/lake/internal';
import { COMMIT_FILE } from '../index/commits/commit.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { type ColdForm, openingBytes } from '../segment/cool.ts';
import type { Component, ComponentKind } from '../segment/entry.ts';
import { type FileSeal, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { ioError } from '../storage/io-errors.ts';
import {
  type BundleFile,
  type BundleRef,
  blockSums,
  digestOfBytes,
  encodeOpening,
} from './bundle.ts';
import { coldSource, type FileSource, localSource, sealedPieces } from './file-source.ts';
import { type CommitToCopy, hotForm, sealedFiles } from './pinned-commit.ts';
import { coldObjects } from './windows/cold-objects.ts';

/** Smaller files are read whole. */
const LEAST_BLOCKS_BYTES = 2 ** 18;

/** Files that are read in blocks: all kinds whose readers demand what they need. */
export const BUNDLE_FORM: ColdForm = Object.freeze({
  isCold: ({ kind, length }: Component): boolean =>
    length >= LEAST_BLOCKS_BYTES && kind !== 'live' && kind !== 'core',
  resident: openingBytes,
});

/** A file that goes into a bundle. */
export interface BundleInput {
  readonly name: string;
  /** What the commit says of it; of bytes, the CRC-32 of their SHA-256. */
  readonly seal: FileSeal;
  readonly source: FileSource | Uint8Array;
  /** The kind of a file that is read in blocks; null: it is read whole. */
  readonly blocks: ComponentKind | null;
}

/** A bundle that can be sent. */
export interface Bundle {
  readonly ref: Omit<BundleRef, 'object'>;
  readonly names: readonly string[];
  readonly parts: ObjectParts;
}

/** Part of a bundle. */
interface Piece {
  readonly from: number;
  readonly length: number;
  readonly source: FileSource | Uint8Array;
}

/** Is called after bytes of a file were read. Throws to stop. */
export type ReadStep = (bytes: number) => void;

/** The files of a commit, the commit itself at last, from the store if they are cold. */
export function commitInputs(
  pinned: CommitToCopy,
  openDirectory: OpenDirectory,
): readonly BundleInput[] {
  const { folder } = pinned;
  const { commit, bytes } = hotForm(pinned);
  const objects = coldObjects(openDirectory(folder), pinned.commit.segments);
  const sourceOf = (name: string): FileSource => {
    const object = objects.get(name);
    return object === undefined ? localSource(folder, name) : coldSource(object);
  };
  const kinds = new Map<string, ComponentKind>();
  for (const { components } of commit.segments) {
    for (const one of components) if (BUNDLE_FORM.isCold(one)) kinds.set(one.file, one.kind);
  }
  const sealed = [...sealedFiles(commit)].map(([name, seal]): BundleInput => {
    return { name, seal, source: sourceOf(name), blocks: kinds.get(name) ?? null };
  });
  return [...sealed, bytesInput(COMMIT_FILE, bytes)];
}

/** Bytes that no commit names. */
export const bytesInput = (name: string, source: Uint8Array): BundleInput => ({
  ...{
    name,
    seal: { length: source.length, crc: crc32(digestOfBytes(source)) },
    source,
    blocks: null,
  },
});

/** A bundle of files. Throws corrupt_index, io_error, and what `step` throws. */
export async function makeBundle(
  inputs: readonly BundleInput[],
  step: ReadStep = () => undefined,
): Promise<Bundle> {
  const large = inputs.filter(({ blocks }) => blocks !== null);
  const whole = large.reduce((sum, { seal }) => sum + seal.length, 0);
  const files: BundleFile[] = [];
  const pieces: Piece[] = [];
  let end = 0;
  for (const input of [...large, ...inputs.filter(({ blocks }) => blocks === null)]) {
    const { length } = input.seal;
    files.push({ ...(await described(input, step)), offset: end });
    pieces.push({ from: end, length, source: input.source });
    end += length;
  }
  const opening = encodeOpening(files);
  const { length } = opening;
  pieces.push({ from: end, length, source: opening });
  const size = end + length;
  const ref = { size, whole, opening: end, crc: crc32(opening), sha256: digestOfBytes(opening) };
  return { ref, names: files.map(({ name }) => name), parts: partsOf(pieces, size) };
}

/** What an opening says of a file, which is compared with its seal. */
async function described(
  { name, source, seal, blocks }: BundleInput,
  step: ReadStep,
): Promise<Omit<BundleFile, 'offset'>> {
  const { length } = seal;
  const crcs: number[] = [];
  const sum = createHash('sha256');
  let resident: Uint8Array | null = null;
  const footer = Buffer.alloc(FRAME_FOOTER_BYTES);
  let at = 0;
  const bytes = source instanceof Uint8Array ? [source] : sealedPieces(source, seal);
  for await (const piece of bytes) {
    step(piece.length);
    crcs.push(...blockSums(piece));
    sum.update(piece);
    if (blocks !== null) {
      resident ??= new Uint8Array(openingBytes(blocks, piece));
      if (at < resident.length) resident.set(piece.subarray(0, resident.length - at), at);
      const begin = length - FRAME_FOOTER_BYTES;
      const cut = piece.subarray(Math.max(0, begin - at));
      if (at + piece.length > begin) footer.set(cut, Math.max(0, at - begin));
    }
    at += piece.length;
  }
  const sha256 = sum.digest('hex');
  return { name, length, crcs, sha256, resident, footer: resident === null ? null : footer };
}

/** The pieces as one row of bytes. */
function partsOf(pieces: readonly Piece[], size: number): ObjectParts {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const target = Buffer.allocUnsafeSlow(length);
    for (const piece of pieces) {
      const from = Math.max(offset, piece.from);
      const bytes = Math.min(offset + length, piece.from + piece.length) - from;
      if (bytes <= 0) continue;
      target.set(await readExactly(piece.source, from - piece.from, bytes), from - offset);
    }
    return target;
  };
  return { size, read };
}

async function readExactly(source: Piece['source'], offset: number, length: number) {
  if (source instanceof Uint8Array) return source.subarray(offset, offset + length);
  const got = await source.read(offset, length);
  if (got.length === length) return got;
  const short = new Error(`${got.length} of ${length} bytes were read`);
  throw ioError(short, 'read', source.path);
}
