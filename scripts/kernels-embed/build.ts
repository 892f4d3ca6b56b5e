/**
 * Assembles the kernels of the static model: `node scripts/kernels-embed/build.ts` writes
 * packages/engine/src/embed/static/kernel-code.ts; what each does is said where its text is made.
 * `--check` only compares.
 */
import { writeKernelCode } from '../kernels/write-code.ts';
import { finish } from './finish.ts';
import { indexLines } from './index-lines.ts';
import { pieces } from './pieces.ts';
import { sum } from './sum.ts';

await writeKernelCode(import.meta.url, 'embed/static', `${sum} ${indexLines} ${pieces} ${finish}`);
