/**
 * Assembles the kernels of bitmaps: `node scripts/kernels-bits/build.ts` writes
 * packages/engine/src/bits/kernel-code.ts; what each kernel does is said where its text is made.
 * `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';
import { combine, count, countEach } from './algebra.ts';
import { between, betweenWide } from './compare.ts';
import { documents, mark } from './mark.ts';

const TARGET = new URL('../../packages/engine/src/bits/kernel-code.ts', import.meta.url);

const text = `(module (import "env" "memory" (memory 1))
  ${combine('or')} ${combine('and')} ${combine('andnot')}
  ${count('countAnd', 'and', false)} ${count('countOr', 'or', false)}
  ${count('countAndBut', 'and', true)} ${count('countOrBut', 'or', true)}
  ${countEach} ${mark} ${documents}
  ${([1, 2, 4] as const).map(between).join('\n')} ${betweenWide})`;

const assembler = await wabt();
const parsed = assembler.parseWat('bits.wat', text, { simd: true });
const code = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
const lines = code.match(/.{1,90}/g) ?? [];
const source = `/** Written by scripts/kernels-bits/build.ts: ${lines.length} lines of base64, a WebAssembly module. */
export const KERNEL_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;

if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== source)
    throw new Error('bits/kernel-code.ts is not what its source gives');
} else {
  writeFileSync(TARGET, source);
  console.log(`${parsed.toBinary({}).buffer.length} bytes of WebAssembly`);
}
