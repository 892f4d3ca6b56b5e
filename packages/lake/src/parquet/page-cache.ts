/**
 * A least-recently-used cache of decoded pages with a budget in bytes; concurrent loads of one key
 * run once. A page beyond the whole budget is found again as long as a reader holds it: a large
 * dictionary is decoded once for all pages of its column that are read one after another.
 */
export class PageCache {
  readonly #budgetBytes: number;
  readonly #kept = new Map<string, Kept>();
  readonly #large = new Map<string, WeakRef<object>>();
  readonly #loading = new Map<string, Promise<Kept>>();
  #bytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** Memory that the kept pages take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What is kept under `key`, or what `load` makes, which is then kept if it fits. */
  async get<T extends object>(
    key: string,
    load: () => Promise<{ value: T; bytes: number }>,
  ): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.value as T;
    }
    const large = this.#large.get(key)?.deref();
    if (large !== undefined) return large as T;
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = load();
      this.#loading.set(key, loading);
      try {
        this.#keep(key, await loading);
      } finally {
        this.#loading.delete(key);
      }
    }
    return (await loading).value as T;
  }

  /** Whether `get` would return something without loading it. */
  has(key: string): boolean {
    return (
      this.#kept.has(key) || this.#loading.has(key) || this.#large.get(key)?.deref() !== undefined
    );
  }

  /** Forgets everything under a prefix from `newCacheOwner`. */
  forget(owner: string): void {
    for (const [key, kept] of this.#kept) {
      if (!key.startsWith(owner)) continue;
      this.#kept.delete(key);
      this.#bytes -= kept.bytes;
    }
    for (const key of this.#large.keys()) if (key.startsWith(owner)) this.#large.delete(key);
  }

  #keep(key: string, kept: Kept): void {
    if (kept.bytes > this.#budgetBytes) {
      this.#large.set(key, new WeakRef(kept.value));
      return;
    }
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= old.bytes;
    }
  }
}

interface Kept {
  readonly value: object;
  readonly bytes: number;
}

let lastOwner = 0;

/** A prefix for the keys of one file, in any cache. */
export function newCacheOwner(): string {
  lastOwner++;
  return `${lastOwner}/`;
}
