import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadKoffi } from './load-koffi.ts';

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
/** The growth in a process with little memory. */
const SLOW_PERCENT = 20;
const users = { fast: 0, slow: 0 };

/**
 * Lets the heaps of all threads grow to four times their size between full collections until the
 * returned function is called. V8 leaves a heap of 20 MB less room than its young generation has,
 * and collects it again and again while a build runs. A large heap stays as it is.
 */
export function growHeaps(): () => void {
  if (getHeapStatistics().used_heap_size > SMALL_HEAP_BYTES) return () => {};
  return useGrowth('fast');
}

/**
 * Collects the heaps of all threads whenever they have grown by a fifth, until the returned
 * function is called. V8 lets the heap of the main thread grow to 256 MiB or more before, also in a
 * container that allows less.
 */
export function keepHeapsSmall(): () => void {
  const release = useGrowth('slow');
  freeMemory();
  return release;
}

function useGrowth(growth: keyof typeof users): () => void {
  users[growth]++;
  setGrowing();
  let over = false;
  return () => {
    if (!over) users[growth]--;
    over = true;
    setGrowing();
  };
}

/** V8 reads this flag at the end of each full collection; 0: it decides itself. */
function setGrowing(): void {
  const slow = users.slow > 0 ? SLOW_PERCENT : 0;
  setFlagsFromString(`-heap-growing-percent=${users.fast > 0 ? GROWING_PERCENT : slow}`);
}

function collector(): () => void {
  setFlagsFromString('-expose-gc');
  return runInNewContext('gc') as () => void;
}

/** malloc_trim of glibc; other systems have nothing of the kind, or need none. */
function trimmer(): () => void {
  try {
    const koffi = loadKoffi();
    const mallocTrim = koffi.load(null).func('int malloc_trim(size_t)');
    return () => mallocTrim(0);
  } catch {
    return () => {};
  }
}
