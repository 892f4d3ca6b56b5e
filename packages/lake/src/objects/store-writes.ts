import { open } from 'node:fs/promises';
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type {
  ObjectBody,
  ObjectInfo,
  ObjectParts,
  ObjectStore,
  PutOptions,
} from './object-store.ts';
import type { StoreResult } from './store-requests.ts';

/**
 * The result of `work` on the parts of a body; a file is open as long. Reading throws
 * invalid_argument if the file became shorter.
 */
export async function withParts<T>(
  body: Exclude<ObjectBody, Uint8Array>,
  work: (parts: ObjectParts) => Promise<T>,
): Promise<T> {
  if ('read' in body) return await work(body);
  const { file } = body;
  await using handle = await open(file, 'r');
  const { size } = await handle.stat();
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    if (bytesRead === length) return bytes;
    throw new LakeError('invalid_argument', `file "${file}" changed while it was sent`, { file });
  };
  return await work({ size, read });
}

/** All bytes, in parts. */
export async function* eachPart({ size, read }: ObjectParts): AsyncGenerator<Uint8Array> {
  for (const offset of partOffsets(size, LIMITS.storePartBytes)) {
    yield await read(offset, Math.min(LIMITS.storePartBytes, size - offset));
  }
}

/** Offsets of parts of `bytes` bytes each. */
export const partOffsets = (size: number, bytes: number): readonly number[] =>
  Array.from({ length: Math.ceil(size / bytes) }, (_, i) => i * bytes);

/**
 * The object that a refused write wrote itself: by an attempt whose answer was lost. A fault of
 * reading it leaves open who wrote it, and is thrown.
 */
export async function ownObject(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  { signal }: PutOptions,
): Promise<ObjectInfo | 'refused'> {
  const info = await store.head(key, signal);
  if (info?.size !== body.length) return 'refused';
  const there = await store.get(key, { maxBytes: body.length, signal });
  if (typeof there === 'string' || !there.bytes.equals(body)) return 'refused';
  return { key, size: there.size, etag: there.etag };
}

/** The value of a result. Throws `fault` of why there is none. */
export function answered<T>(result: StoreResult<T>, fault: (what: string) => LakeError): T {
  if (result.kind === 'done') return result.value;
  throw fault(result.kind === 'missing' ? 'it is not there' : 'the server refuses it');
}

/** One page of a listing, and where the next begins. */
export interface ListPage {
  readonly entries: readonly ObjectInfo[];
  readonly next: string | undefined;
}

/** The entries of all pages. Throws `fault` if a page comes again. */
export async function* eachEntry(
  page: (token: string | undefined) => Promise<ListPage>,
  fault: (what: string) => LakeError,
): AsyncGenerator<ObjectInfo> {
  const seen = new Set<string>();
  for (let token: string | undefined; ; ) {
    const { entries, next } = await page(token);
    yield* entries;
    if (next === undefined || next === '') return;
    if (seen.has(next)) throw fault('its pages have no end');
    seen.add(next);
    token = next;
  }
}
