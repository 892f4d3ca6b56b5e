import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FixedVectors } from '../../base/fixed-vector.ts';
import { LIMITS } from '../../base/limits.ts';
import { ioError } from '../../storage/io-errors.ts';
import type { ModelIdentity } from '../embedder.ts';
import { CacheFiles } from './cache-files.ts';
import {
  KEY_BYTES,
  modelFolderName,
  RECORD_HEAD_BYTES,
  RecordChecksums,
  recordBytes,
  recordChecksum,
} from './cache-format.ts';
import { KeyTable } from './key-table.ts';
import type { TextKeys } from './text-keys.ts';

/** Bytes of records that are read at once, and entries between two that are read along. */
const RUN_BYTES = 1 << 20;
const RUN_GAP = 8;
/** A cache is rewritten once this much of it is of no use, and only from a size that matters. */
const USED_SHARE = 1 / 4;
const COMPACT_BYTES = 64 * 2 ** 20;
/** From this much of the bound on, whatever is of no use goes. */
const NEAR_SHARE = 7 / 8;

/** How a cache is bounded. */
export interface CacheOptions {
  /** Default `LIMITS.embeddingCacheBytes`. */
  readonly mostBytes?: number;
  readonly compactBytes?: number;
  /** Throws when this process may no longer write here; called before every append and rewrite. */
  readonly fence?: () => void;
  /** Another process appends: entries are found and read, and nothing is added. */
  readonly onlyReads?: boolean;
}

/**
 * Vectors of texts that a model has embedded before, on disk. One process appends: the one that
 * holds the lock of the folder (vectors/models-in-use.ts). Damaged entries are never returned.
 */
export class EmbeddingCache {
  readonly #home: string;
  readonly #model: ModelIdentity;
  readonly #options: Required<CacheOptions>;
  #files: CacheFiles | null;
  #table: KeyTable;
  /** Entries that this opening has found or added. */
  #used: Uint8Array;
  #damaged = false;
  #run = new Uint8Array(0);

  private constructor(home: string, model: ModelIdentity, options: Required<CacheOptions>) {
    this.#home = home;
    this.#model = model;
    this.#options = options;
    const folder = join(home, modelFolderName(model));
    const { onlyReads } = options;
    this.#files = onlyReads ? CacheFiles.look(folder, model) : CacheFiles.open(folder, model);
    this.#table = KeyTable.of(this.#files?.keys() ?? new Uint8Array(0));
    this.#used = new Uint8Array(this.#table.count);
  }

  /**
   * Opens the cache of a model in a folder, made where it is missing. Throws io_error, disk_full.
   */
  static open(home: string, model: ModelIdentity, options: CacheOptions = {}): EmbeddingCache {
    const { mostBytes = LIMITS.embeddingCacheBytes, compactBytes = COMPACT_BYTES } = options;
    const { fence = () => {}, onlyReads = false } = options;
    return new EmbeddingCache(home, model, { mostBytes, compactBytes, fence, onlyReads });
  }

  get entries(): number {
    return this.#files?.count ?? 0;
  }

  get bytes(): number {
    return this.#files?.bytes ?? 0;
  }

  /** The entry of each key, or -1. */
  find(keys: TextKeys): Int32Array {
    return this.#table.findAll(keys);
  }

  /**
   * Copies entries into `out`: the vector of entries[i] to place i, nothing where that is -1. An
   * entry that is damaged becomes -1 in `entries`.
   */
  read(entries: Int32Array, out: FixedVectors): void {
    const order = placesOf(entries);
    order.sort((a, b) => entries[a] - entries[b]);
    const most = Math.max(1, Math.floor(RUN_BYTES / recordBytes(this.#model.dims)));
    for (let from = 0; from < order.length; ) {
      const first = entries[order[from]];
      let to = from + 1;
      for (; to < order.length; to++) {
        const entry = entries[order[to]];
        if (entry - first >= most || entry - entries[order[to - 1]] > RUN_GAP) break;
      }
      this.#readRun(order.subarray(from, to), entries, out);
      from = to;
    }
  }

  /**
   * Adds vectors under keys; what no longer fits the bound is left out. Throws disk_full, io_error.
   */
  add(keys: TextKeys, { scales, codes }: FixedVectors): void {
    if (this.#files === null || this.#options.onlyReads) return;
    const { dims } = this.#model;
    const size = recordBytes(dims);
    const room = Math.floor((this.#options.mostBytes - this.#files.bytes) / (size + KEY_BYTES));
    const count = Math.min(keys.count, Math.max(0, room));
    if (count === 0) return;
    const records = this.#room(count * size);
    const view = new DataView(records.buffer);
    const halves = new Int16Array(records.buffer);
    const sums = new RecordChecksums(dims);
    for (let i = 0; i < count; i++) {
      const own = codes.subarray(i * dims, (i + 1) * dims);
      view.setFloat32(i * size + 4, scales[i], true);
      halves.set(own, (i * size + RECORD_HEAD_BYTES) / 2);
      view.setUint32(i * size, sums.of(keys.bytes, i * KEY_BYTES, scales[i], own), true);
    }
    this.#options.fence();
    this.#files.append(keys.bytes.subarray(0, count * KEY_BYTES), records);
    for (let i = 0; i < count; i++) this.#use(this.#table.add(keys, i));
  }

  /**
   * All texts of the index have been asked for: where most of the rest is of no use, the bound is
   * near or something was damaged, only what was used is kept. Caches of models that are not in use
   * go where all in the folder are too large together. Throws io_error, disk_full.
   */
  endBuild(inUse: readonly ModelIdentity[] = []): void {
    if (this.#files === null || this.#options.onlyReads) return;
    const used = this.#used.reduce((sum, use) => sum + use, 0);
    const { mostBytes, compactBytes } = this.#options;
    const waste = this.bytes > compactBytes && used < this.entries * USED_SHARE;
    const full = this.bytes > mostBytes * NEAR_SHARE && used < this.entries;
    this.#options.fence();
    if (waste || full || this.#damaged) this.#compact(this.#files);
    this.#sweepOthers([this.#model, ...inUse]);
  }

  /** Gives the files back. Idempotent. */
  close(): void {
    this.#files?.close();
  }

  #use(entry: number): void {
    if (entry >= this.#used.length) {
      const used = new Uint8Array(Math.max(1024, entry * 2));
      used.set(this.#used);
      this.#used = used;
    }
    this.#used[entry] = 1;
  }

  #readRun(run: Int32Array, entries: Int32Array, { scales, codes }: FixedVectors): void {
    const { dims } = this.#model;
    const size = recordBytes(dims);
    const first = entries[run[0]];
    const records = this.#records(first, entries[run[run.length - 1]] + 1);
    const view = new DataView(records.buffer);
    const halves = new Int16Array(records.buffer);
    for (const i of run) {
      const at = (entries[i] - first) * size;
      if (!this.#isSound(entries[i], view, records.subarray(at, at + size))) {
        entries[i] = -1;
        this.#damaged = true;
        continue;
      }
      this.#use(entries[i]);
      scales[i] = view.getFloat32(at + 4, true);
      const from = (at + RECORD_HEAD_BYTES) / 2;
      codes.set(halves.subarray(from, from + dims), i * dims);
    }
  }

  /** Valid until the next call. */
  #records(from: number, to: number): Uint8Array {
    const records = this.#room((to - from) * recordBytes(this.#model.dims));
    this.#files?.records(from, to, records);
    return records;
  }

  /** Memory for records, valid until the next call. */
  #room(bytes: number): Uint8Array {
    if (this.#run.length < bytes) this.#run = new Uint8Array(bytes);
    return this.#run.subarray(0, bytes);
  }

  #isSound(entry: number, view: DataView, record: Uint8Array): boolean {
    const key = this.#table.bytes(entry, entry + 1);
    return view.getUint32(record.byteOffset, true) === recordChecksum(key, record);
  }

  #compact(former: CacheFiles): void {
    const size = recordBytes(this.#model.dims);
    const most = Math.max(1, Math.floor(RUN_BYTES / size));
    const files = former.successor(this.#model);
    try {
      for (let from = 0; from < this.entries; from += most) {
        const to = Math.min(from + most, this.entries);
        const records = this.#records(from, to);
        const view = new DataView(records.buffer);
        let kept = 0;
        const keys = new Uint8Array((to - from) * KEY_BYTES);
        for (let entry = from; entry < to; entry++) {
          const at = (entry - from) * size;
          if (this.#used[entry] !== 1) continue;
          if (!this.#isSound(entry, view, records.subarray(at, at + size))) continue;
          records.copyWithin(kept * size, at, at + size);
          keys.set(this.#table.bytes(entry, entry + 1), kept++ * KEY_BYTES);
        }
        files.append(keys.subarray(0, kept * KEY_BYTES), records.subarray(0, kept * size));
      }
      former.replaceBy(files);
    } catch (error) {
      files.discard();
      throw error;
    }
    files.close();
    this.#files = CacheFiles.open(join(this.#home, modelFolderName(this.#model)), this.#model);
    this.#table = KeyTable.of(this.#files.keys());
    this.#used = new Uint8Array(this.#table.count).fill(1);
    this.#damaged = false;
  }

  #sweepOthers(inUse: readonly ModelIdentity[]): void {
    const kept = new Set(inUse.map(modelFolderName));
    const isCache = (name: string) => statSync(join(this.#home, name)).isDirectory();
    try {
      const names = readdirSync(this.#home).filter(isCache);
      const bytes = names.reduce((sum, name) => sum + folderBytes(join(this.#home, name)), 0);
      if (bytes <= this.#options.mostBytes) return;
      for (const name of names.filter((name) => !kept.has(name)))
        rmSync(join(this.#home, name), { recursive: true, force: true });
    } catch (error) {
      throw ioError(error, 'clean up', this.#home);
    }
  }
}

/** Places of those that are entries. */
function placesOf(entries: Int32Array): Int32Array {
  const places = new Int32Array(entries.length);
  let count = 0;
  for (let i = 0; i < entries.length; i++) if (entries[i] >= 0) places[count++] = i;
  return places.subarray(0, count);
}

function folderBytes(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + folderBytes(join(path, name)), 0);
}
