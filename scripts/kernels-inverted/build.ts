/**
 * Assembles the kernels of inverted components: `node scripts/kernels-inverted/build.ts` writes
 * packages/engine/src/inverted/kernel-code.ts. `--check` only compares.
 */
import { writeKernelCode } from '../kernels/write-code.ts';
import { kernels } from './number.ts';

await writeKernelCode(import.meta.url, 'inverted', kernels);
