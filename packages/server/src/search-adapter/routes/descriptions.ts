import type { IndexDescription, Principal } from '@lakehouse-search/contract';
import { isUnreachable } from '@lakehouse-search/contract/internal';

/** How long a description is used without asking for it again. */
const FRESH_MILLIS = 1000;
const MOST = 1000;

interface Remembered {
  readonly description: IndexDescription;
  readonly atMillis: number;
}

/**
 * Descriptions of indexes by caller, with all that its token allows: each request of the adapter
 * needs one for its fields. One that is older than a second is requested again. While the nodes of
 * the index cannot be reached, the old one is used, so that a search can answer with the shards
 * that are left. The search itself checks what its caller may read.
 */
export class Descriptions {
  readonly #known = new Map<string, Remembered>();

  /** The description of an index by name or alias. Throws what `ask` throws. */
  async of(
    principal: Principal | undefined,
    index: string,
    ask: () => Promise<IndexDescription>,
  ): Promise<IndexDescription> {
    const key = JSON.stringify([principal, index]);
    const known = this.#known.get(key);
    const now = performance.now();
    if (known !== undefined && now - known.atMillis < FRESH_MILLIS) return known.description;
    try {
      const description = await ask();
      if (this.#known.size >= MOST) this.#known.clear();
      this.#known.set(key, { description, atMillis: now });
      return description;
    } catch (error) {
      const isAway = isUnreachable(error);
      if (isAway && known !== undefined) return known.description;
      if (!isAway) this.#known.delete(key);
      throw error;
    }
  }
}
