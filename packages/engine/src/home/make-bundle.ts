import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectParts } from '@lakehouse-search/lake/internal';
import { lowerBoundBy } from '../base/arrays/lower-bound.ts';
import { COMMIT_FILE } from '../index/commits/commit.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { type ColdForm, openingBytes } from '../segment/cool.ts';
import type { Component, ComponentKind } from '../segment/entry.ts';
import { type PagePart, pageParts } from '../segment/page-parts.ts';
import { type FileSeal, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { ioError } from '../storage/io-errors.ts';
import {
  BUNDLE_BLOCK,
  type BundleFile,
  type BundleRef,
  blockSums,
  digestOfBytes,
  encodeOpening,
} from './bundle.ts';
import { coldSource, type FileSource, localSource, sealedPieces } from './file-source.ts';
import { blockFor, placeFiles } from './layout/place-files.ts';
import { type CommitToCopy, hotForm, sealedFiles } from './pinned-commit.ts';
import { coldObjects } from './windows/cold-objects.ts';

/** Smaller files are read whole. */
const LEAST_BLOCKS_BYTES = 2 ** 18;

const WHOLE: ReadonlySet<ComponentKind> = new Set(['live', 'core', 'buckets']);

/** Files that are read in blocks: all kinds whose readers demand what they need. */
export const BUNDLE_FORM: ColdForm = Object.freeze({
  isCold: ({ kind, length }: Component): boolean =>
    length >= LEAST_BLOCKS_BYTES && !WHOLE.has(kind),
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
  /** The segment, if pages of hits read the file. */
  readonly page?: string | undefined;
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
  /** Where it begins in the source. */
  readonly at: number;
}

/** Is called after bytes of a file were read. Throws to stop. */
export type ReadStep = (bytes: number) => void;

/**
 * The files of a commit, the commit itself at last, from the store if they are cold. `cached`: the
 * fields that hits have, if pages of them are read from the bundle.
 */
export function commitInputs(
  pinned: CommitToCopy,
  openDirectory: OpenDirectory,
  cached: ReadonlySet<number> | null = null,
): readonly BundleInput[] {
  const { folder } = pinned;
  const { commit, bytes } = hotForm(pinned);
  const objects = coldObjects(openDirectory(folder), pinned.commit.segments);
  const sourceOf = (name: string): FileSource => {
    const object = objects.get(name);
    return object === undefined ? localSource(folder, name) : coldSource(object);
  };
  const blocks = new Map<string, Pick<BundleInput, 'blocks' | 'page'>>();
  for (const { id, components } of commit.segments) {
    for (const one of components) {
      const page = cached !== null && (isMoved(one.kind) || cached.has(one.field)) ? id : undefined;
      if (BUNDLE_FORM.isCold(one)) blocks.set(one.file, { blocks: one.kind, page });
    }
  }
  const sealed = [...sealedFiles(commit)].map(([name, seal]): BundleInput => {
    return { name, seal, source: sourceOf(name), blocks: null, ...blocks.get(name) };
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

/** Files that only pages of hits read, or look-ups: they are in regions alone. */
const isMoved = (kind: ComponentKind | null): boolean => kind === 'keys' || kind === 'stored';

/** A bundle of files. Throws corrupt_index, io_error, and what `step` throws. */
export async function makeBundle(
  inputs: readonly BundleInput[],
  step: ReadStep = () => undefined,
): Promise<Bundle> {
  const isWhole = ({ blocks }: BundleInput): boolean => blocks === null;
  const ordered = [...inputs.filter((one) => !isWhole(one)), ...inputs.filter(isWhole)];
  const found: (DescribedFile & { readonly parts: readonly PagePart[] })[] = [];
  for (const input of ordered) {
    const parts = await partsIn(input);
    const block = parts.length === 0 ? BUNDLE_BLOCK : blockFor(parts, BUNDLE_BLOCK);
    found.push({ ...(await described(input, block, step)), parts });
  }
  const { pieces, regions, whole, end } = placeFiles(
    ordered.map((input, i) => {
      const { page, blocks } = input;
      return { ...found[i], page, isWhole: isWhole(input), isMovable: isMoved(blocks) };
    }),
  );
  const firsts = pieces.filter(({ at }) => at === 0);
  const offsets = new Map(firsts.toReversed().map(({ file, from }) => [file, from]));
  const files = found.map(({ parts: _, ...file }, i) => ({ ...file, offset: offsets.get(i)! }));
  const opening = encodeOpening(files, regions);
  const size = end + opening.length;
  const ref = { size, whole, opening: end, crc: crc32(opening), sha256: digestOfBytes(opening) };
  const sources = pieces.map(({ file, ...piece }) => ({ ...piece, source: ordered[file].source }));
  const last = { from: end, length: opening.length, source: opening, at: 0 };
  const names = files.map(({ name }) => name);
  return { ref, names, parts: partsOf([...sources, last], size) };
}

/** What pages of hits read of a file; nothing of one that cannot be read: `described` says it. */
async function partsIn({ page, blocks, source }: BundleInput): Promise<readonly PagePart[]> {
  if (page === undefined || blocks === null || source instanceof Uint8Array) return [];
  try {
    return await pageParts(blocks, (offset, length) => source.read(offset, length));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

type DescribedFile = Omit<BundleFile, 'offset'>;

/** What an opening says of a file, which is compared with its seal. */
async function described(
  { name, source, seal, blocks }: BundleInput,
  block: number,
  step: ReadStep,
): Promise<DescribedFile> {
  const { length } = seal;
  const crcs: number[] = [];
  const sum = createHash('sha256');
  let resident: Uint8Array | null = null;
  const footer = Buffer.alloc(FRAME_FOOTER_BYTES);
  let at = 0;
  const bytes = source instanceof Uint8Array ? [source] : sealedPieces(source, seal);
  for await (const piece of bytes) {
    step(piece.length);
    crcs.push(...blockSums(piece, block));
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
  const ends = { resident, footer: resident === null ? null : footer };
  return { name, length, block, crcs, sha256, ...ends };
}

/** The pieces as one row of bytes. */
function partsOf(pieces: readonly Piece[], size: number): ObjectParts {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const target = Buffer.allocUnsafeSlow(length);
    const end = offset + length;
    const isLater = (i: number) => pieces[i].from + pieces[i].length > offset;
    for (let i = lowerBoundBy(0, pieces.length, isLater); pieces[i]?.from < end; i++) {
      const piece = pieces[i];
      const from = Math.max(offset, piece.from);
      const bytes = Math.min(end, piece.from + piece.length) - from;
      const at = piece.at + from - piece.from;
      target.set(await readExactly(piece.source, at, bytes), from - offset);
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
