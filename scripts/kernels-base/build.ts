/**
 * Assembles the kernels of fixed-point vectors: `node scripts/kernels-base/build.ts` writes
 * packages/engine/src/base/kernel-code.ts. `--check` only compares.
 */
import { writeKernelCode } from '../kernels/write-code.ts';
import { codes } from './codes.ts';

await writeKernelCode(import.meta.url, 'base', codes);
