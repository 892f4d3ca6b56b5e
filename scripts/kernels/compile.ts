/**
 * Compiles the kernels of packages/engine/kernels, C, to WebAssembly:
 *
 *   npm run kernels            writes kernel-code.ts of each room of the engine
 *   npm run kernels -- query   of one module
 *
 * kernel-code.ts has the digest of what it was compiled from: its sources, the layouts, the flags,
 * the version of the compiler.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LAYOUTS } from './layout.ts';

/** npm package of the compiler: clang and lld as WebAssembly. */
export const COMPILER = '@yowasp/clang@22.0.0-git20542-10';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'packages/engine/kernels');
/** There is no room for a stack: its frames would lie in the files. */
const NO_STACK = '-Wframe-larger-than=0';
/** Loops that need vectors have them in the source: clang's own make counts slower. */
const FLAGS = [
  '--target=wasm32-unknown-unknown',
  '-I.',
  ...['simd128', 'bulk-memory', 'nontrapping-fptoint', 'sign-ext'].map((name) => `-m${name}`),
  ...['-O3', '-nostdlib', '-ffp-contract=off', '-Wall', '-Wextra', '-Werror', NO_STACK],
  '-Wno-null-dereference',
  ...['wrapv', 'no-strict-aliasing', 'no-delete-null-pointer-checks', 'no-builtin'].map(
    (name) => `-f${name}`,
  ),
  ...['-fno-vectorize', '-fno-slp-vectorize', '-fno-unroll-loops'],
  // it would add constant distances to addresses, which instructions have room for
  ...['-mllvm', '-disable-lsr'],
  ...['--no-entry', '--import-memory', '--strip-all', '--initial-memory=0'].map(
    (name) => `-Wl,${name}`,
  ),
  '-Wl,-z,stack-size=0',
];
type Files = { readonly [name: string]: string | Files };
type RunClang = (
  args: readonly string[],
  files: Files,
  options: { readonly synchronously: false; readonly fetchProgress: () => void },
) => Promise<Readonly<Record<string, Uint8Array>>>;

const OPTIONS = { synchronously: false, fetchProgress: () => undefined } as const;

/** A module: its folder of packages/engine/kernels, and the room of the engine that it is for. */
export interface KernelModule {
  readonly name: string;
  readonly room: string;
}

/** All modules. */
export const MODULES: readonly KernelModule[] = [
  { name: 'aggregate', room: 'aggregate/loops' },
  { name: 'base', room: 'base' },
  { name: 'bitmap', room: 'bitmap' },
  { name: 'embed', room: 'embed/static' },
  { name: 'inverted', room: 'inverted/write' },
  { name: 'phrase', room: 'scoring/phrase' },
  { name: 'postings', room: 'postings' },
  { name: 'scoring', room: 'scoring/kernel' },
  { name: 'vector', room: 'vector' },
];

/** The file that has the compiled module. */
export const codeFile = ({ room }: KernelModule): string =>
  join(ROOT, `packages/engine/src/${room}/kernel-code.ts`);

/** Digest of everything that determines the bytes of a module. */
export function digestOf(module: KernelModule): string {
  const parts = [COMPILER, FLAGS, sourcesOf(module)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** The files that a module is compiled from. */
function sourcesOf({ name }: KernelModule): Files {
  const read = (folder: string): Files =>
    Object.fromEntries(
      readdirSync(folder, { withFileTypes: true })
        .filter(({ name }) => /\.[ch]$/.test(name))
        .map((entry) => [entry.name, readFileSync(join(folder, entry.name), 'utf8')])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const layout = LAYOUTS[name];
  return {
    ...read(SOURCES),
    [name]: { ...read(join(SOURCES, name)), ...(layout && { 'layout.h': layout() }) },
  };
}

/** The text of kernel-code.ts, compiled now. */
export async function compileModule(module: KernelModule): Promise<string> {
  const compiler = compilerPath();
  if (compiler === undefined) throw new Error('no compiler: run `npm run kernels`');
  const { runClang } = (await import(pathToFileURL(compiler).href)) as { runClang: RunClang };
  const args = ['clang', ...FLAGS, `${module.name}/${module.name}.c`, '-o', 'module.wasm'];
  const files = await runClang(args, sourcesOf(module), OPTIONS).catch(() => null);
  if (files === null) throw new Error(`clang refuses ${module.name}`);
  const bytes = Buffer.from(files['module.wasm']);
  const lines = bytes.toString('base64').match(/.{1,90}/g) ?? [];
  const long = lines.length > 350 ? ', long on purpose' : '';
  return `/**
 * Written by \`npm run kernels\` from packages/engine/kernels/${module.name}: WebAssembly,
 * ${lines.length} lines of base64${long}. Digest of the sources: ${digestOf(module)}
 */
export const ${module.name.toUpperCase()}_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
}

/** The file of the compiler: in the folder LHS_CLANG, or beside the bin folder that npx adds. */
function compilerPath(): string | undefined {
  const bins = (process.env.PATH ?? '').split(delimiter);
  const folders = [process.env.LHS_CLANG, ...bins.map((bin) => join(bin, '../@yowasp/clang'))];
  return folders
    .map((folder) => join(folder ?? '', 'gen/bundle.js'))
    .find((path) => existsSync(path));
}

/** Writes the modules of these names, or all; npx installs the compiler if there is none. */
async function build(names: readonly string[]): Promise<void> {
  if (compilerPath() === undefined && process.env.npm_command !== 'exec') {
    const command = ['-y', '-p', COMPILER, process.execPath, fileURLToPath(import.meta.url)];
    execFileSync('npx', [...command, ...names], { stdio: 'inherit' });
    return;
  }
  for (const module of MODULES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    writeFileSync(codeFile(module), await compileModule(module));
    console.log(module.name);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(process.argv.slice(2));
