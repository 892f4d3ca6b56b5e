import type { IndexSnapshot } from '../../index/index-snapshot.ts';
import type { OpenIndex } from '../../open/open-index.ts';

/** Figures of a cache since it was made; `bytes`: what its entries take now, as an estimate. */
export interface ResultCacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  readonly bytes: number;
  readonly limit_bytes: number;
}

/** An answer without the members that change, and its JSON text. */
export interface KeptAnswer {
  readonly answer: object;
  readonly text: string;
}

interface Entry extends KeptAnswer {
  readonly bytes: number;
}

/** An entry besides its answer: key, links, the map's slot. */
const ENTRY_BYTES = 300;
/**
 * Values of JSON take three times their text in memory, measured over pages of hits; the text
 * itself takes up to two bytes per character.
 */
const VALUE_FACTOR = 5;
/** One answer takes at most this part of the cache. */
const MOST_SHARE = 1 / 16;
/** An answer that lacks a part is not repeated. */
const LACKS = ['partial', 'failed_shards', 'failed_arms'] as const;
type Lacks = Partial<Readonly<Record<(typeof LACKS)[number], unknown>>>;

/**
 * Answers to reads by commit, request and tenant; the least recently used go first. A new commit is
 * another key, so no answer is ever older than the commit that a read would open.
 */
export class ResultCache {
  readonly #most: number;
  readonly #entries = new Map<string, Entry>();
  readonly #commits = new WeakMap<IndexSnapshot, number>();
  #lastCommit = 0;
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** `most`: bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What it holds, and how often an answer was found or not. */
  get figures(): ResultCacheFigures {
    const { size: entries } = this.#entries;
    const [hits, misses, bytes] = [this.#hits, this.#misses, this.#bytes];
    return { hits, misses, entries, bytes, limit_bytes: this.#most };
  }

  /** The key of a request at an open commit. Tenants never share one. */
  keyOf({ snapshot }: OpenIndex, tenant: string | undefined, request: string): string {
    let commit = this.#commits.get(snapshot);
    if (commit === undefined) this.#commits.set(snapshot, (commit = ++this.#lastCommit));
    return `${commit} ${JSON.stringify(tenant ?? null)} ${request}`;
  }

  /** The answer under a key. Its values are shared: nobody may change them. */
  get(key: string): KeptAnswer | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#hits++;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  /** Counts a read whose answer was not found. */
  missed(): void {
    this.#misses++;
  }

  /** Keeps an answer and its JSON text, unless it is incomplete or too large. */
  put(key: string, { answer, text }: KeptAnswer): void {
    if (LACKS.some((name) => (answer as Lacks)[name])) return;
    const bytes = VALUE_FACTOR * text.length + 2 * key.length + ENTRY_BYTES;
    if (bytes > this.#most * MOST_SHARE) return;
    this.#remove(key);
    this.#entries.set(key, { answer, text, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
