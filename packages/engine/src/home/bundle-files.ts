import { createHash } from 'node:crypto';
import type { FileBlocks } from '../segment/cold-blocks.ts';
import { damaged } from '../source/store-errors.ts';
import {
  BUNDLE_BLOCK,
  type BundleFile,
  type BundleRef,
  blockSums,
  digestOfBytes,
  readOpening,
} from './bundle.ts';
import { bundleKey } from './chain.ts';
import { readPlaced } from './layout/plan-reads.ts';
import { REQUEST_BYTES, readSpan } from './read-bundle.ts';
import type { Home } from './stored-json.ts';

/** A bundle of an index. */
export interface StoredBundle {
  readonly uuid: string;
  readonly ref: BundleRef;
}

/** What a bundle says of its files. Throws corrupt_index. */
export async function readBundleFiles(
  home: Home,
  { uuid, ref }: StoredBundle,
  signal?: AbortSignal,
): Promise<readonly BundleFile[]> {
  const key = bundleKey(uuid, ref);
  const bytes = await readSpan(home, key, ref.opening, ref.size - ref.opening, signal);
  return readOpening(bytes, ref, `${home.place}/${key}`);
}

/**
 * The bytes of a file of a bundle, compared with its checksums. Those that differ are read once
 * more: they may have changed on their way. Throws corrupt_index.
 */
export async function* readBundleFile(
  home: Home,
  { uuid, ref }: StoredBundle,
  file: BundleFile,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const key = bundleKey(uuid, ref);
  const other = () => damaged(`${home.place}/${key}`, `"${file.name}" has other bytes`);
  const sum = createHash('sha256');
  for (let at = 0; at < file.length; at += REQUEST_BYTES) {
    const length = Math.min(REQUEST_BYTES, file.length - at);
    const read = () =>
      readPlaced(file, file.block, { at, length }, (span) =>
        readSpan(home, key, span.at, span.length, signal),
      );
    const isRight = (bytes: Uint8Array) =>
      blockSums(bytes, file.block).every((crc, i) => crc === file.crcs[at / file.block + i]);
    const first = await read();
    const bytes = isRight(first) ? first : await read();
    if (!isRight(bytes)) throw other();
    sum.update(bytes);
    yield bytes;
  }
  if (file.sha256 !== undefined && sum.digest('hex') !== file.sha256) throw other();
}

/** The blocks of a file of a bundle; `key`: of this. */
export function fileBlocks(file: BundleFile, key: string): FileBlocks {
  const { offset, places, copies, crcs, block } = file;
  const own = block === BUNDLE_BLOCK ? {} : { block };
  return { file: key, offset, places, copies, crcs, ...own };
}

/** Whether the end of an object is the opening of this bundle: then it has the same files. */
export async function hasOpening(home: Home, key: string, ref: Omit<BundleRef, 'object'>) {
  const { opening, size, sha256 } = ref;
  return digestOfBytes(await readSpan(home, key, opening, size - opening, undefined)) === sha256;
}
