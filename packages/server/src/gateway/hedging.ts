/** Reads beside those that are hedged: 5 % more reads at most. */
const READS_PER_HEDGE = 20;
/** Hedges that may come at once, if reads before them needed none. */
const MAX_BURST = 25;
/** Answers of a kind of read whose times are remembered. */
const WINDOW = 256;
/** The percentile is computed again after so many answers. */
const REFRESH = 32;
/** A read that needs less is not late: the gateway itself may be. */
const MIN_MS = 5;
/** For kinds with less than `REFRESH` answers. */
const UNKNOWN_MS = 100;
const MAX_KINDS = 1024;

/** Times of the last answers of a kind of read, in milliseconds. */
interface Times {
  readonly millis: number[];
  count: number;
  /** Their 95th percentile. */
  late: number;
}

/**
 * When a read is sent to a second node: after the 95th percentile of its kind, as long as one read
 * in twenty at most is sent twice.
 */
export class Hedging {
  readonly #kinds = new Map<string, Times>();
  #reads = 0;
  #hedged = 0;

  /** Reads that were sent to a second node. */
  get hedged(): number {
    return this.#hedged;
  }

  /** A read begins. Returns the milliseconds after which it is late. */
  begin(kind: string): number {
    this.#reads = Math.min(this.#reads + 1, MAX_BURST * READS_PER_HEDGE);
    return Math.max(MIN_MS, this.#kinds.get(kind)?.late ?? UNKNOWN_MS);
  }

  /** A read was answered after so many milliseconds. */
  answered(kind: string, millis: number): void {
    const times = this.#timesOf(kind);
    times.millis[times.count++ % WINDOW] = millis;
    if (times.count % REFRESH > 0) return;
    const sorted = Float64Array.from(times.millis).sort();
    times.late = sorted[Math.floor(sorted.length * 0.95)];
  }

  /** Whether a read that is late may be sent to a second node, which counts it. */
  take(): boolean {
    if (this.#reads < READS_PER_HEDGE) return false;
    this.#reads -= READS_PER_HEDGE;
    this.#hedged++;
    return true;
  }

  #timesOf(kind: string): Times {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.clear();
    const made = { millis: [], count: 0, late: UNKNOWN_MS };
    this.#kinds.set(kind, made);
    return made;
  }
}
