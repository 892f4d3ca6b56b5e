/**
 * Assembles the kernels of phrases: `node scripts/kernels-phrase/build.ts` writes
 * packages/engine/src/scoring/phrase/kernel-code.ts; what each does is said where its text is made.
 * `--check` only compares.
 */
import { intersect, sieve } from '../kernels/lists.ts';
import { writeKernelCode } from '../kernels/write-code.ts';
import { gathering } from './gather.ts';
import { frequency, locate, match, matchTwo, phrases } from './positions.ts';
import { matching } from './survivors.ts';
import { blocks } from './unpack.ts';

const text = `
  ${sieve} ${intersect} ${locate} ${frequency} ${match} ${matchTwo}
  ${[2, 3].map(phrases).join('\n')}
  ${blocks} ${gathering} ${matching}`;

await writeKernelCode(import.meta.url, 'scoring/phrase', text, 'phrase');
