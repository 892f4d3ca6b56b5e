/**
 * Assembles the kernels: `node scripts/kernels/build.ts` writes
 * packages/engine/src/scoring/kernel-code.ts. The text is unrolled by the number of terms; what
 * each kernel does is said where its text is made. `--check` only compares.
 */
import { intersect, sieve } from './lists.ts';
import { query } from './query.ts';
import { bounds, list, lists, ranges } from './ranges.ts';
import { writeKernelCode } from './write-code.ts';

/** List terms and dense terms of the kernels driven by lists. */
const LISTS = [
  [1, 1],
  [1, 2],
  [2, 0],
  [2, 1],
  [3, 0],
] as const;

/** What compiled-kernels.ts gives to the module. */
const IMPORTS = `
  (import "env" "log" (func $log (param f64) (result f64)))
  (import "env" "readClock" (func $readClock))
  (import "env" "follows" (func $follows (param i32 i32) (result i32)))`;

const text = `${IMPORTS}
  ${[1, 2, 3, 4].map(bounds).join('\n')}
  ${[1, 2, 3, 4].map(ranges).join('\n')}
  ${LISTS.map(([l, p]) => lists(l, p)).join('\n')}
  ${list} ${sieve} ${intersect} ${query}`;

await writeKernelCode(import.meta.url, 'scoring', text);
