/**
 * Assembles the kernels of bitmaps: `node scripts/kernels-bitmap/build.ts` writes
 * packages/engine/src/bitmap/kernel-code.ts; what each kernel does is said where its text is made.
 * `--check` only compares.
 */
import { writeKernelCode } from '../kernels/write-code.ts';
import { combine, count, countEach } from './algebra.ts';
import { between, betweenWide } from './compare.ts';
import { documents, mark } from './mark.ts';

const text = `
  ${combine('or')} ${combine('and')} ${combine('andnot')}
  ${count('countAnd', 'and', false)} ${count('countOr', 'or', false)}
  ${count('countAndBut', 'and', true)} ${count('countOrBut', 'or', true)}
  ${countEach} ${mark} ${documents}
  ${([1, 2, 4] as const).map(between).join('\n')} ${betweenWide}`;

await writeKernelCode(import.meta.url, 'bitmap', text);
