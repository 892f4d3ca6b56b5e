/**
 * Assembles the kernels: `node scripts/kernels/build.ts` writes
 * packages/engine/src/scoring/kernel-code.ts. The text is unrolled by the number of terms; what
 * each kernel does is said where its text is made. `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';
import { intersect, sieve } from './lists.ts';
import { frequency, locate, match, phraseSurvivors, phrases } from './phrase.ts';
import { bounds, list, lists, ranges } from './ranges.ts';

const TARGET = new URL('../../packages/engine/src/scoring/kernel-code.ts', import.meta.url);

/** List terms and dense terms of the kernels driven by lists. */
const LISTS = [
  [1, 1],
  [1, 2],
  [2, 0],
  [2, 1],
  [3, 0],
] as const;

const text = `(module (import "env" "memory" (memory 1))
  ${[1, 2, 3].map(bounds).join('\n')}
  ${[1, 2, 3].map(ranges).join('\n')}
  ${LISTS.map(([l, p]) => lists(l, p)).join('\n')}
  ${list} ${sieve} ${intersect} ${locate} ${frequency} ${match}
  ${[2, 3].map(phrases).join('\n')} ${phraseSurvivors})`;

const assembler = await wabt();
const parsed = assembler.parseWat('kernels.wat', text, { simd: true });
const code = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
const lines = code.match(/.{1,90}/g) ?? [];
const source = `/** Written by scripts/kernels/build.ts: ${lines.length} lines of base64, a WebAssembly module. */
export const KERNEL_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;

if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== source)
    throw new Error('kernel-code.ts is not what its source gives');
} else {
  writeFileSync(TARGET, source);
  console.log(`${parsed.toBinary({}).buffer.length} bytes of WebAssembly`);
}
