/**
 * Assembles the kernels of vectors: `node scripts/kernels-vector/build.ts` writes
 * packages/engine/src/vector/kernel-code.ts. `--check` only compares.
 */
import { writeKernelCode } from '../kernels/write-code.ts';
import { dots, dotsOf, rowDotsOf, wholeDotsOf } from './dots.ts';

await writeKernelCode(import.meta.url, 'vector', `${dots} ${dotsOf} ${wholeDotsOf} ${rowDotsOf}`);
