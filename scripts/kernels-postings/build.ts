/**
 * Assembles the kernels that encode postings: `node scripts/kernels-postings/build.ts` writes
 * packages/engine/src/postings/kernel-code.ts. `--check` only compares.
 */
import { writeKernelCode } from '../kernels/write-code.ts';
import { kernels } from './encode.ts';

await writeKernelCode(import.meta.url, 'postings', kernels);
