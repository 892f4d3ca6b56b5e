/**
 * Copies the command to a folder, as an installation has it: the bundle, and the native libraries
 * that `npm ci` installed from the lock file. node scripts/release/program.ts FOLDER
 */
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'packages/cli');
const SELECTED = [
  '--omit=dev',
  '--omit=peer',
  '--all',
  '--parseable',
  '-w',
  '@lakehouse-search/cli',
];

/** The folders of the packages that the command needs beside its bundle. */
function nativePackages(): readonly string[] {
  const printed = execFileSync('npm', ['ls', ...SELECTED], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32', // npm is a script there
  });
  return printed
    .split('\n')
    .map((path) => relative(root, path))
    .filter((path) => /^node_modules.(?!@lakehouse-search)/.test(path));
}

/** Copies the command into a folder. */
export function copyProgram(folder: string): void {
  for (const part of ['package.json', 'LICENSE', 'bin', 'bundle']) {
    cpSync(join(cli, part), join(folder, part), { recursive: true });
  }
  for (const path of nativePackages()) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
}

if (import.meta.main) copyProgram(process.argv[2]);
