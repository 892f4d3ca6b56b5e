import { LakeError } from '../base/errors.ts';
import {
  type FileRange,
  type FileRole,
  invalidCode,
  missingCode,
  type RandomAccessFile,
} from '../base/files/random-access-file.ts';
import { LIMITS } from '../base/limits.ts';
import { BLOCKS } from './block-cache.ts';
import type { GotObject, ObjectStore } from './object-store.ts';

/** An object that is read by range, and how errors name it. */
export interface ObjectPlace {
  readonly store: ObjectStore;
  readonly key: string;
  /** `s3://bucket/key`. */
  readonly path: string;
  readonly role: FileRole;
  readonly signal?: AbortSignal | undefined;
}

/** The end of an object that one request brings together with its size: most footers. */
const TAIL_BYTES = 64 * 1024;

/**
 * Opens an object with one request. All reads are of the version that was opened. Throws
 * `data_file_missing` or `delete_file_missing`, and the errors of ObjectStore.
 */
export async function openObject(place: ObjectPlace): Promise<ObjectFile> {
  const { path, role } = place;
  const tail = await tailOf(place);
  if (typeof tail !== 'string') return new ObjectFile(place, tail);
  throw new LakeError(
    missingCode(role),
    `${role} file "${path}" is not there; the table names it, so restore it or expire the ` +
      'snapshots that need it',
    { file: path },
  );
}

async function tailOf({ store, key, signal }: ObjectPlace) {
  try {
    return await store.get(key, { span: { suffix: TAIL_BYTES }, signal });
  } catch (error) {
    // an empty object has no last byte
    if ((error as LakeError).details?.status !== 416) throw error;
    return store.get(key, { signal });
  }
}

interface Wanted {
  readonly offset: number;
  readonly length: number;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An object that is read by range. Reads of the same moment are joined into few requests: small
 * ones by blocks, which are kept in `BLOCKS`; reads of a block size and more go through as they
 * are.
 */
export class ObjectFile implements RandomAccessFile {
  readonly path: string;
  readonly size: number;
  readonly etag: string;
  readonly #place: ObjectPlace;
  readonly #tail: GotObject;
  #waiting: Wanted[] = [];
  /** Large reads that have begun, by range. */
  readonly #ahead = new Map<string, Promise<Uint8Array>>();

  constructor(place: ObjectPlace, tail: GotObject) {
    this.path = place.path;
    this.size = tail.size;
    this.etag = tail.etag;
    this.#place = place;
    this.#tail = tail;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size)) {
      throw this.#invalid(
        `range ${offset}..${offset + length} lies outside the file of ${this.size} bytes`,
      );
    }
    const from = offset - this.#tail.offset;
    if (from >= 0) return new Uint8Array(this.#tail.bytes.subarray(from, from + length));
    if (length >= LARGE_READ_BYTES) {
      const begun = this.#ahead.get(`${offset}+${length}`);
      return begun ?? this.#fetch(offset, length);
    }
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#flush());
      this.#waiting.push({ offset, length, resolve, reject });
    });
  }

  /** Small ranges go to the blocks that are kept, large ones are held until they are dropped. */
  readonly readAhead = (ranges: readonly FileRange[]): (() => void) => {
    const held: string[] = [];
    let bytes = 0;
    for (const { offset, length } of ranges) {
      const inside = offset >= 0 && length >= 0 && offset + length <= this.size;
      bytes += length;
      if (!inside || bytes > LIMITS.readAheadBytes) break;
      const name = `${offset}+${length}`;
      if (this.#ahead.has(name)) continue;
      const reading = this.read(offset, length);
      // The error is thrown when the range is read.
      reading.catch(() => {});
      if (length < LARGE_READ_BYTES || offset >= this.#tail.offset) continue;
      this.#ahead.set(name, reading);
      held.push(name);
    }
    return () => {
      for (const name of held) this.#ahead.delete(name);
    };
  };

  async close(): Promise<void> {}

  /** Reads what waits: the blocks that are not kept, neighbours together. */
  async #flush(): Promise<void> {
    const wanted = this.#waiting;
    this.#waiting = [];
    try {
      const blocks = await this.#blocks(wanted);
      for (const { offset, length, resolve } of wanted) resolve(cut(blocks, offset, length));
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }

  async #blocks(wanted: readonly Wanted[]): Promise<ReadonlyMap<number, Uint8Array>> {
    const blocks = new Map<number, Uint8Array>();
    const absent = new Set<number>();
    for (const { offset, length } of wanted) {
      for (let block = blockOf(offset); block * BLOCK_BYTES < offset + length; block++) {
        const kept = BLOCKS.get(this.#blockKey(block));
        if (kept === undefined) absent.add(block);
        else blocks.set(block, kept);
      }
    }
    const take = async ({ first, last }: Run): Promise<void> => {
      const start = first * BLOCK_BYTES;
      const end = Math.min(this.size, (last + 1) * BLOCK_BYTES);
      const bytes = await this.#fetch(start, end - start);
      for (let block = first; block <= last; block++) {
        const at = block * BLOCK_BYTES - start;
        const own = bytes.slice(at, at + BLOCK_BYTES);
        blocks.set(block, own);
        BLOCKS.set(this.#blockKey(block), own);
      }
    };
    await Promise.all(runsOf([...absent].sort((a, b) => a - b)).map(take));
    return blocks;
  }

  #blockKey(block: number): string {
    return `${this.path}\n${this.etag}\n${block}`;
  }

  async #fetch(offset: number, length: number): Promise<Uint8Array> {
    const { store, key, signal } = this.#place;
    const got = await store.get(key, { span: { offset, length }, etag: this.etag, signal });
    if (typeof got === 'string') {
      throw this.#invalid(`it is ${got === 'missing' ? 'gone' : 'replaced'} since it was opened`);
    }
    const from = offset - got.offset;
    const bytes = got.bytes.subarray(from, from + length);
    if (bytes.length !== length)
      throw this.#invalid(`its server sends ${bytes.length} bytes of ${length}`);
    return bytes;
  }

  #invalid(what: string): LakeError {
    const { role, path } = this.#place;
    return new LakeError(invalidCode(role), `${role} file "${path}": ${what}`, { file: path });
  }
}

const BLOCK_BYTES = LIMITS.objectBlockBytes;
const LARGE_READ_BYTES = 1024 * 1024;
/** Blocks between two wanted ones that are read along, and blocks of one request. */
const GAP_BLOCKS = 4;
const RUN_BLOCKS = 64;

interface Run {
  readonly first: number;
  last: number;
}

/** Neighbouring blocks together. */
function runsOf(blocks: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    const joins = run && block - run.last <= GAP_BLOCKS && block - run.first < RUN_BLOCKS;
    if (joins) run.last = block;
    else runs.push({ first: block, last: block });
  }
  return runs;
}

const blockOf = (offset: number) => Math.floor(offset / BLOCK_BYTES);

function cut(blocks: ReadonlyMap<number, Uint8Array>, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const block = blockOf(offset + done);
    const from = offset + done - block * BLOCK_BYTES;
    const part = blocks.get(block)!.subarray(from, from + length - done);
    bytes.set(part, done);
    done += part.length;
  }
  return bytes;
}
