/**
 * Assembles the kernels of vectors: `node scripts/kernels-vector/build.ts` writes
 * packages/engine/src/vector/kernel-code.ts. `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';
import { dots, dotsOf, rowDotsOf, wholeDotsOf } from './dots.ts';

const TARGET = new URL('../../packages/engine/src/vector/kernel-code.ts', import.meta.url);

const text = `(module (import "env" "memory" (memory 1)) ${dots} ${dotsOf} ${wholeDotsOf} ${rowDotsOf})`;
const assembler = await wabt();
const binary = assembler.parseWat('vectors.wat', text, { simd: true }).toBinary({}).buffer;
const code = Buffer.from(binary).toString('base64');
const lines = code.match(/.{1,90}/g) ?? [];
const source = `/** Written by scripts/kernels-vector/build.ts: ${lines.length} lines of base64, a WebAssembly module. */
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
