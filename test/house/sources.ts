import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Files that git tracks, or would, below a folder; paths from the root. */
export function filesBelow(...folders: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders];
  const out = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return out.split('\n').filter((f) => f !== '' && existsSync(join(ROOT, f)));
}

/**
 * A source file and what it imports: files of its own package as paths from the root, packages as
 * names.
 */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

/** Every TypeScript file of a package's `src`, tests left out unless asked for. */
export function sourcesOf(folder: string, withTests = false): SourceFile[] {
  return filesBelow(folder)
    .filter((path) => /\.tsx?$/.test(path) && (withTests || !/\.test\.tsx?$/.test(path)))
    .filter((path) => !GENERATED.test(path))
    .map(readSource);
}

/** Stemmers that scripts/stemmers.py generates, and messages that scripts/proto.ts generates. */
const GENERATED = /\/analysis\/snowball\/(?!stemmer\.ts)|\/client\/src\/generated\//;

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const from = dirname(join(ROOT, path));
  const specifiers = [...text.matchAll(IMPORT)].map((m) => m[1] ?? m[2]);
  const local = specifiers.filter((s) => s.startsWith('.'));
  return {
    path,
    text,
    lines: text.split('\n'),
    imports: local.map((s) => relative(ROOT, resolve(from, s))),
    packages: specifiers.filter((s) => !s.startsWith('.')),
  };
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g;
