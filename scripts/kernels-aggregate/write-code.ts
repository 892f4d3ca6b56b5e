import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

/** The root of the repository. */
const ROOT = new URL('../../', import.meta.url);

/**
 * Assembles a module and writes it as base64 to kernel-code.ts of a room of the engine; `--check`
 * only compares, and throws where it is not the same. `by`: the script, for the file's head.
 * `text`: functions of WebAssembly text over the memory that is imported, behind other imports.
 * `name`: of the constant.
 */
export async function writeKernelCode(
  by: string,
  room: string,
  text: string,
  name = room.split('/')[0],
): Promise<void> {
  const assembler = await wabt();
  const module = `(module (import "env" "memory" (memory 1)) ${text})`;
  const parsed = assembler.parseWat(`${room}.wat`, module, { simd: true });
  const { buffer } = parsed.toBinary({});
  const lines =
    Buffer.from(buffer)
      .toString('base64')
      .match(/.{1,90}/g) ?? [];
  const script = fileURLToPath(by).slice(fileURLToPath(ROOT).length);
  const long = lines.length > 350 ? ', long on purpose' : '';
  const source = `/** Written by ${script}: WebAssembly, ${lines.length} lines of base64${long}. */
export const ${name.toUpperCase()}_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
  const target = new URL(`packages/engine/src/${room}/kernel-code.ts`, ROOT);
  if (!process.argv.includes('--check')) {
    writeFileSync(target, source);
    console.log(`${buffer.length} bytes of WebAssembly`);
  } else if (readFileSync(target, 'utf8') !== source) {
    throw new Error(`${room}/kernel-code.ts is not what ${script} gives`);
  }
}
