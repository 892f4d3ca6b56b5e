import { createRequire } from 'node:module';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;
let trim: (() => void) | undefined;

/**
 * Gives the memory of values that are not used any more back to the system. Large arrays lie
 * outside of the heap: a thread that only waits would not free them, and the C library keeps what
 * is freed in small pieces.
 */
export function freeMemory(): void {
  collect ??= collector();
  collect();
  trim ??= trimmer();
  trim();
}

/** A heap may grow so far between two full collections, in percent, unless it is larger than this. */
const GROWING_PERCENT = 300;
const SMALL_HEAP_BYTES = 64 * 2 ** 20;
let growing = 0;

/**
 * Lets the heaps of all threads grow to four times their size between full collections until the
 * returned function is called. V8 leaves a heap of 20 MB less room than its young generation has,
 * and collects it again and again while a build runs. A large heap stays as it is.
 */
export function growHeaps(): () => void {
  if (getHeapStatistics().used_heap_size > SMALL_HEAP_BYTES) return () => {};
  if (growing++ === 0) setGrowing(GROWING_PERCENT);
  let over = false;
  return () => {
    if (!over && --growing === 0) setGrowing(0);
    over = true;
  };
}

/** V8 reads this flag at the end of each full collection; 0: it decides itself. */
const setGrowing = (percent: number): void =>
  setFlagsFromString(`-heap-growing-percent=${percent}`);

function collector(): () => void {
  setFlagsFromString('-expose-gc');
  return runInNewContext('gc') as () => void;
}

/** malloc_trim of glibc; other systems have nothing of the kind, or need none. */
function trimmer(): () => void {
  try {
    const koffi = createRequire(import.meta.url)('koffi');
    const mallocTrim = koffi.load(null).func('int malloc_trim(size_t)');
    return () => mallocTrim(0);
  } catch {
    return () => {};
  }
}
