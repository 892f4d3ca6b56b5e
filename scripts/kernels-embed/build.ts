/**
 * Assembles the kernels of the static model: `node scripts/kernels-embed/build.ts` writes
 * packages/engine/src/embed/kernel-code.ts; what each does is said where its text is made. `--check`
 * only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';
import { indexLines } from './index-lines.ts';
import { sum } from './sum.ts';

const TARGET = new URL('../../packages/engine/src/embed/kernel-code.ts', import.meta.url);

const assembler = await wabt();
const text = `(module (import "env" "memory" (memory 1)) ${sum} ${indexLines})`;
const binary = assembler.parseWat('embed.wat', text, { simd: true }).toBinary({}).buffer;
const lines =
  Buffer.from(binary)
    .toString('base64')
    .match(/.{1,90}/g) ?? [];
const source = `/** Written by scripts/kernels-embed/build.ts: ${lines.length} lines of base64, a WebAssembly module. */
export const KERNEL_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;

if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== source)
    throw new Error('kernel-code.ts is not what its source gives');
} else {
  writeFileSync(TARGET, source);
  console.log(`${binary.length} bytes of WebAssembly`);
}
