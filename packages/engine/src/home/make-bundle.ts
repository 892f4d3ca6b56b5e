import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CallContext } from '@lakehouse-search/contract';
import type { ObjectParts } from '@lakehouse-search/lake/internal';
import { COMMIT_FILE } from '../index/commits/commit.ts';
import { residentBytes } from '../segment/cool.ts';
import type { Component, ComponentKind } from '../segment/entry.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { type FileSeal, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { ioError } from '../storage/io-errors.ts';
import { type BundleFile, type BundleRef, blockSums, encodeOpening } from './bundle.ts';
import { localSource, sealedPieces } from './copy-files.ts';
import { type CommitToCopy, sealedFiles } from './pinned-commit.ts';

/** Smaller files are read whole. */
const LEAST_BLOCKS_BYTES = 2 ** 18;

/** Files that are read in blocks: all kinds whose readers demand what they need. */
const inBlocks = ({ kind, length }: Component): boolean =>
  length >= LEAST_BLOCKS_BYTES && kind !== 'live' && kind !== 'core';

/** A bundle that can be sent. */
export interface Bundle {
  readonly ref: Omit<BundleRef, 'object'>;
  readonly names: readonly string[];
  readonly parts: ObjectParts;
}

/** A part of a bundle: bytes, or a file. */
type Piece = { readonly from: number; readonly length: number } & (
  | { readonly bytes: Uint8Array }
  | { readonly name: string }
);

/**
 * A bundle of the files of a commit whose names are not `known`, and of the commit itself. Throws
 * corrupt_index, interrupted.
 */
export async function makeBundle(
  pinned: CommitToCopy,
  known: (name: string) => boolean,
  { signal }: CallContext,
): Promise<Bundle> {
  const { commit, bytes, folder } = pinned;
  const kinds = new Map<string, ComponentKind>();
  for (const { components } of commit.segments) {
    for (const one of components) {
      if (inBlocks(one)) kinds.set(one.file, one.kind);
    }
  }
  const fresh = [...sealedFiles(commit)].filter(([name]) => !known(name));
  const large = fresh.filter(([name]) => kinds.has(name));
  const atOnce = fresh.filter(([name]) => !kinds.has(name));
  const files: BundleFile[] = [];
  let end = 0;
  const add = (file: Omit<BundleFile, 'offset'>) => {
    files.push({ ...file, offset: end });
    end += file.length;
  };
  for (const [name, seal] of large) {
    add(await fileInBlocks({ folder, name, seal, kind: kinds.get(name)! }, signal));
    pinned.renew();
  }
  const whole = end;
  for (const [name, seal] of atOnce) add(await sealedFile(folder, name, seal, signal));
  const none = { resident: null, footer: null };
  add({ name: COMMIT_FILE, length: bytes.length, crcs: blockSums(bytes), ...none });
  const opening = encodeOpening(files);
  const pieces: Piece[] = files.map(({ name, offset, length }) => {
    const place = { from: offset, length };
    return name === COMMIT_FILE ? { ...place, bytes } : { ...place, name };
  });
  pieces.push({ from: end, length: opening.length, bytes: opening });
  const size = end + opening.length;
  const ref = { size, whole, opening: end, crc: crc32(opening) };
  return { ref, names: files.map(({ name }) => name), parts: partsOf(folder, pieces, size) };
}

/** The checksums of a file of the commit, which is compared with its seal. */
async function sealedFile(
  folder: string,
  name: string,
  seal: FileSeal,
  signal: AbortSignal | undefined,
  take: (piece: Uint8Array) => void = () => undefined,
): Promise<Omit<BundleFile, 'offset'>> {
  const crcs: number[] = [];
  for await (const piece of sealedPieces(localSource(folder, name), seal)) {
    refuseAborted(signal);
    crcs.push(...blockSums(piece));
    take(piece);
  }
  return { name, length: seal.length, crcs, resident: null, footer: null };
}

async function fileInBlocks(
  file: {
    readonly folder: string;
    readonly name: string;
    readonly seal: FileSeal;
    readonly kind: ComponentKind;
  },
  signal: AbortSignal | undefined,
): Promise<Omit<BundleFile, 'offset'>> {
  const { folder, name, seal, kind } = file;
  let resident: Uint8Array | null = null;
  let at = 0;
  const footer = Buffer.alloc(FRAME_FOOTER_BYTES);
  const take = (piece: Uint8Array) => {
    resident ??= new Uint8Array(residentBytes(kind, piece));
    if (at < resident.length) resident.set(piece.subarray(0, resident.length - at), at);
    const begin = seal.length - FRAME_FOOTER_BYTES;
    const cut = piece.subarray(Math.max(0, begin - at));
    if (at + piece.length > begin) footer.set(cut, Math.max(0, at - begin));
    at += piece.length;
  };
  return { ...(await sealedFile(folder, name, seal, signal, take)), resident, footer };
}

/** The pieces as one row of bytes. */
function partsOf(folder: string, pieces: readonly Piece[], size: number): ObjectParts {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const target = Buffer.allocUnsafeSlow(length);
    for (const piece of pieces) {
      const from = Math.max(offset, piece.from);
      const bytes = Math.min(offset + length, piece.from + piece.length) - from;
      if (bytes <= 0) continue;
      const cut = from - piece.from;
      const into = target.subarray(from - offset, from - offset + bytes);
      if ('bytes' in piece) into.set(piece.bytes.subarray(cut, cut + bytes));
      else await readExactly(join(folder, piece.name), into, cut);
    }
    return target;
  };
  return { size, read };
}

async function readExactly(path: string, target: Buffer, position: number): Promise<void> {
  await using handle = await open(path, 'r');
  const { bytesRead } = await handle.read(target, 0, target.length, position);
  if (bytesRead === target.length) return;
  const short = new Error(`${bytesRead} of ${target.length} bytes were read`);
  throw ioError(short, 'read', path);
}
