/**
 * Large arrays lie outside of the heap. V8 collects the whole heap each time 64 MiB more of them
 * were made, so a loop that makes and forgets them spends its time on collections.
 */

/** Smaller arrays stay: they are cheap, and those of small Buffers share the memory of a pool. */
const LEAST_BYTES = 16 * 1024;

/**
 * Gives the memory of arrays back now, without a collection. They are empty afterwards, as is every
 * other view of the same memory: the caller must be the only one that uses it.
 */
export function releaseArrays(arrays: Iterable<ArrayBufferView | null | undefined>): void {
  for (const array of arrays) {
    const buffer = array?.buffer;
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_BYTES) buffer.transfer(0);
  }
}
