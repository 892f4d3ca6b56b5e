import { tooManyScrolls } from '../query/refusal.ts';
import type { KnownPit } from './pit-id.ts';

/** Points in time that the scrolls of one caller hold at once; each index of a scroll has one. */
export const MOST_SCROLLS = 200;
/** Callers above which those without scrolls are forgotten. */
const MOST_CALLERS = 1000;

interface Held {
  readonly count: number;
  readonly keepMillis: number;
  untilMillis: number;
}

/** A scroll that is being opened: it counts from the beginning. */
export interface OpeningScroll {
  /** It is open until its lifetime has passed, or it is closed. */
  opened(pits: readonly KnownPit[]): void;
  failed(): void;
}

const keyOf = ([first]: readonly KnownPit[]): string => first.pit;

/** The scrolls of each caller that this process has opened. Each page renews the first lifetime. */
export class OpenScrolls {
  readonly #now: () => number;
  readonly #callers = new Map<string, Map<string, Held>>();
  #openings = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Throws too_many_scroll_contexts_exception. `count`: indexes of the scroll. */
  open(caller: string, count: number, keepMillis: number): OpeningScroll {
    if (this.#callers.size >= MOST_CALLERS) this.#sweep();
    const own = this.#of(caller);
    const held = [...own.values()].reduce((sum, one) => sum + one.count, 0);
    if (held + count > MOST_SCROLLS) throw tooManyScrolls(MOST_SCROLLS);
    const opening = `opening ${this.#openings++}`;
    own.set(opening, { count, keepMillis, untilMillis: Number.POSITIVE_INFINITY });
    this.#callers.set(caller, own);
    return {
      opened: (pits) => {
        own.delete(opening);
        const untilMillis = this.#now() + keepMillis;
        own.set(keyOf(pits), { count: pits.length, keepMillis, untilMillis });
      },
      failed: () => void own.delete(opening),
    };
  }

  /** A page was read. */
  used(caller: string, pits: readonly KnownPit[]): void {
    const held = this.#callers.get(caller)?.get(keyOf(pits));
    if (held !== undefined) held.untilMillis = this.#now() + held.keepMillis;
  }

  closed(caller: string, pits: readonly KnownPit[]): void {
    this.#callers.get(caller)?.delete(keyOf(pits));
  }

  /** The scrolls of a caller that have not expired. */
  #of(caller: string): Map<string, Held> {
    const own = this.#callers.get(caller) ?? new Map<string, Held>();
    const now = this.#now();
    for (const [key, { untilMillis }] of own) if (untilMillis <= now) own.delete(key);
    return own;
  }

  #sweep(): void {
    for (const caller of this.#callers.keys()) {
      if (this.#of(caller).size === 0) this.#callers.delete(caller);
    }
  }
}
