import type { RepeatedRequest } from '@lakehouse-search/engine/internal';

/** Longer bodies are read each time. */
const MOST_CHARS = 4096;
/** Characters of all bodies. With its value and its text, a request takes about ten bytes of each. */
const MOST_CHARS_OF_ALL = 1024 * 1024;

/**
 * Requests of one operation by their bodies. The body alone says what was asked for: caller, index
 * and limits of a call are looked at each time.
 */
export class KeptRequests {
  readonly #requests = new Map<string, RepeatedRequest>();
  #chars = 0;

  /** The request that a body holds; undefined: it is not kept. */
  get(body: string): RepeatedRequest | undefined {
    return body.length > MOST_CHARS ? undefined : this.#requests.get(body);
  }

  /** Keeps a request; those that came first go. */
  add(body: string, request: RepeatedRequest): void {
    if (body.length > MOST_CHARS || this.#requests.has(body)) return;
    this.#requests.set(body, request);
    this.#chars += body.length;
    for (const first of this.#requests.keys()) {
      if (this.#chars <= MOST_CHARS_OF_ALL) return;
      this.#requests.delete(first);
      this.#chars -= first.length;
    }
  }
}
