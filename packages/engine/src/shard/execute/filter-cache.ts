import { LIMITS } from '../../base/limits.ts';
import { copyBitmap } from '../../bitmap/bitmaps.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** What an entry weighs beside its bits: its key, its place in the map. */
const ENTRY_BYTES = 300;

/**
 * The matches of filters that have been asked for, as bitmaps by segment and clause; the least
 * recently used go first. Deleted documents are in them: they stay right when rows are deleted, and
 * go with the segment. Nothing of them is written.
 */
export class FilterCache {
  readonly #most: number;
  /** By segment and clause, the last used last. */
  readonly #entries = new Map<string, Int32Array>();
  /** Short names of segments by what they hold. */
  readonly #segments = new Map<string, number>();
  readonly #numbers = new WeakMap<SegmentReader, number>();
  #nextNumber = 1;
  #bytes = 0;
  #found = 0;
  #missed = 0;

  constructor(most: number = LIMITS.filterCacheBytes) {
    this.#most = most;
  }

  /** Bytes that are held, and how often something was found or not. */
  get figures(): { readonly bytes: number; readonly found: number; readonly missed: number } {
    return { bytes: this.#bytes, found: this.#found, missed: this.#missed };
  }

  /**
   * The matches of a clause (query/clauses/clause-key.ts), which nobody may change; null: not
   * known.
   */
  get(reader: SegmentReader, clause: string): Int32Array | null {
    const key = this.#key(reader, clause);
    const bits = this.#entries.get(key);
    if (bits === undefined) {
      this.#missed++;
      return null;
    }
    this.#found++;
    this.#entries.delete(key);
    this.#entries.set(key, bits);
    return bits;
  }

  /** Keeps a copy of the matches of a clause. What alone is larger than the cache is not kept. */
  put(reader: SegmentReader, clause: string, bits: Int32Array): void {
    const weight = bits.byteLength + ENTRY_BYTES;
    if (weight > this.#most) return;
    const key = this.#key(reader, clause);
    this.#remove(key);
    this.#entries.set(key, copyBitmap(reader.arena, bits));
    this.#bytes += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#remove(oldest);
    }
  }

  /** Drops what is held of the segments of `former` that `now` does not have. */
  replaced(former: readonly SegmentReader[], now: readonly SegmentReader[]): void {
    const kept = new Set(now.map((reader) => this.#number(reader)));
    const gone = new Set<number>();
    for (const reader of former) {
      const number = this.#number(reader);
      if (kept.has(number)) continue;
      gone.add(number);
      this.#segments.delete(contents(reader));
    }
    if (gone.size === 0) return;
    for (const key of this.#entries.keys()) {
      if (gone.has(Number(key.slice(0, key.indexOf('/'))))) this.#remove(key);
    }
  }

  /** Forgets everything. */
  clear(): void {
    for (const key of this.#entries.keys()) this.#remove(key);
  }

  #remove(key: string): void {
    const bits = this.#entries.get(key);
    if (bits === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= bits.byteLength + ENTRY_BYTES;
  }

  #key(reader: SegmentReader, clause: string): string {
    return `${this.#number(reader)}/${clause}`;
  }

  #number(reader: SegmentReader): number {
    const known = this.#numbers.get(reader);
    if (known !== undefined) return known;
    const name = contents(reader);
    const number = this.#segments.get(name) ?? this.#nextNumber++;
    this.#segments.set(name, number);
    this.#numbers.set(reader, number);
    return number;
  }
}

/** What a segment holds, whatever has been deleted or moved in it since it was written. */
function contents({ path, entry }: SegmentReader): string {
  const lasting = entry.components.filter(({ kind }) => kind !== 'live' && kind !== 'locators');
  return [path, ...lasting.map(({ file, length, crc }) => `${file}:${length}:${crc}`)].join(' ');
}
