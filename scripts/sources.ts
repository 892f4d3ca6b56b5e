import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { join as specifier } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * The source of each entry of our packages by what programs import, as aliases of a bundler or a
 * runner of tests: subpaths come before their package.
 */
export const SOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(packages)
    .flatMap(entries)
    .sort(([a], [b]) => (a < b ? 1 : -1)),
);

/** What other programs import: all but the entries of our own packages and of threads. */
export const LIBRARY_ENTRIES: readonly (readonly [string, string])[] = Object.entries(SOURCES)
  .filter(([name]) => /\/(client|contract|engine|lake|mcp)\b/.test(name))
  .filter(([name]) => !/\/internal$|-worker$/.test(name));

function entries(folder: string): [string, string][] {
  const text = readFileSync(join(packages, folder, 'package.json'), 'utf8');
  const { name, exports }: { name: string; exports?: Record<string, unknown> } = JSON.parse(text);
  return Object.entries(exports ?? {}).flatMap(([subpath, target]) => {
    const file = /dist\/(.+)\.js$/.exec(targetOf(target))?.[1];
    return file === undefined
      ? []
      : [[specifier(name, subpath), join(packages, folder, 'src', `${file}.ts`)]];
  });
}

function targetOf(target: unknown): string {
  const isObject = typeof target === 'object' && target !== null && 'default' in target;
  return String(isObject ? target.default : target);
}
