import { LIMITS } from '../base/limits.ts';
import { memoryShare } from '../base/usable-memory.ts';

/**
 * Blocks of objects that were read by range, the least recently used dropped first. One budget for
 * all objects of the process.
 */
class BlockCache {
  readonly #blocks = new Map<string, Uint8Array>();
  #bytes = 0;

  get(key: string): Uint8Array | undefined {
    const block = this.#blocks.get(key);
    if (block === undefined) return undefined;
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
    return block;
  }

  set(key: string, block: Uint8Array): void {
    if (this.#blocks.has(key)) return;
    this.#blocks.set(key, block);
    this.#bytes += block.length;
    const most = memoryShare(LIMITS.objectBlocksBytes, 1 / 16);
    for (const [oldest, { length }] of this.#blocks) {
      if (this.#bytes <= most) return;
      this.#blocks.delete(oldest);
      this.#bytes -= length;
    }
  }
}

export const BLOCKS = new BlockCache();
