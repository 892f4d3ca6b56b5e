/**
 * Assembles the kernels of aggregations: `node scripts/kernels-aggregate/build.ts` writes
 * packages/engine/src/aggregate/kernel-code.ts; what each kernel does is said where its text is
 * made. `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';
import { count, countBuckets, countMany, total } from './counts.ts';
import { sumDoubles } from './doubles.ts';
import { sum, sumWide } from './sums.ts';

const TARGET = new URL('../../packages/engine/src/aggregate/kernel-code.ts', import.meta.url);
const NARROW = [1, 2, 4] as const;

const text = `(module (import "env" "memory" (memory 1))
  ${NARROW.map(sum).join('\n')} ${sumWide} ${sumDoubles}
  ${NARROW.map(count).join('\n')} ${NARROW.map(countMany).join('\n')}
  ${countBuckets(4)} ${countBuckets(8)} ${total})`;

const assembler = await wabt();
const parsed = assembler.parseWat('aggregate.wat', text, { simd: true });
const code = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
const lines = code.match(/.{1,90}/g) ?? [];
const source = `/** Written by scripts/kernels-aggregate/build.ts: ${lines.length} lines of base64, WebAssembly. */
export const KERNEL_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;

if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== source)
    throw new Error('aggregate/kernel-code.ts is not what its source gives');
} else {
  writeFileSync(TARGET, source);
  console.log(`${parsed.toBinary({}).buffer.length} bytes of WebAssembly`);
}
