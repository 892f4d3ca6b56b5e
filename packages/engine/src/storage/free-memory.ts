import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
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
