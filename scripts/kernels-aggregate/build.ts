/**
 * Assembles the kernels of aggregations: `node scripts/kernels-aggregate/build.ts` writes
 * packages/engine/src/aggregate/loops/kernel-code.ts; what each kernel does is said where its text is
 * made. `--check` only compares.
 */

import { count, countBuckets, countMany, total } from './counts.ts';
import { sumDoubles } from './doubles.ts';
import { sum, sumWide } from './sums.ts';
import { writeKernelCode } from './write-code.ts';

const NARROW = [1, 2, 4] as const;

const text = `
  ${NARROW.map(sum).join('\n')} ${sumWide} ${sumDoubles}
  ${NARROW.map(count).join('\n')} ${NARROW.map(countMany).join('\n')}
  ${countBuckets(4)} ${countBuckets(8)} ${total}`;

await writeKernelCode(import.meta.url, 'aggregate/loops', text);
