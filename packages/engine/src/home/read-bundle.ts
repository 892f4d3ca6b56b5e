import type { LhsError } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import { refuseAborted } from '../source/source-errors.ts';
import { damagedHome, inPublished, inStore } from '../source/store-errors.ts';
import { type BundleFile, type BundleRef, checkFile, readOpening } from './bundle.ts';
import { bundleKey, replacedMeanwhile } from './chain.ts';
import type { Home } from './stored-json.ts';

/** One request reads at most so many bytes. */
export const REQUEST_BYTES = 8 * 2 ** 20;
/** So many requests run at a time. */
export const REQUESTS_AT_ONCE = 24;

/** The end of a bundle, which is read at once. */
export interface BundleEnd {
  readonly files: readonly BundleFile[];
  /** The bytes of a file that is read whole. Throws corrupt_index. */
  readonly wholeFile: (file: BundleFile) => Uint8Array;
}

/** Reads the end of a bundle of an index. Throws corrupt_index, interrupted, and as `inStore`. */
export async function readEnd(
  home: Home,
  uuid: string,
  bundle: BundleRef,
  signal: AbortSignal | undefined,
): Promise<BundleEnd> {
  const { whole, size, opening } = bundle;
  const key = bundleKey(uuid, bundle);
  const place = `${home.place}/${key}`;
  const end = await readSpan(home, key, whole, size - whole, signal);
  const wholeFile = (file: BundleFile): Uint8Array => {
    const bytes = end.subarray(file.offset - whole, file.offset - whole + file.length);
    inPublished(() => checkFile(file, bytes, place));
    return bytes;
  };
  const files = inPublished(() => readOpening(end.subarray(opening - whole), bundle, place));
  return { files, wholeFile };
}

/**
 * Bytes of an object, by several requests at a time. Throws corrupt_index, interrupted, and as
 * `inStore`.
 */
export async function readSpan(
  { store, place }: Home,
  key: string,
  from: number,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const target = Buffer.allocUnsafeSlow(bytes);
  const offsets = Array.from(
    { length: Math.ceil(bytes / REQUEST_BYTES) },
    (_, i) => i * REQUEST_BYTES,
  );
  await eachOf(offsets, REQUESTS_AT_ONCE, async (at) => {
    refuseAborted(signal);
    const span = { offset: from + at, length: Math.min(REQUEST_BYTES, bytes - at) };
    const cut = () => damagedHome(`${place}/${key}`, 'is cut');
    const got = await inStore(() => store.get(key, { span, maxBytes: span.length, signal })).catch(
      (error: LhsError) => {
        // no byte of the range is there
        throw error.details?.status === 416 ? cut() : error;
      },
    );
    if (typeof got === 'string') throw replacedMeanwhile(place, key);
    if (got.bytes.length !== span.length) throw cut();
    target.set(got.bytes, at);
  });
  return target;
}
