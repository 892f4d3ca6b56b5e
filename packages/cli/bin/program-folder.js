import { existsSync, statSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url);
const changed = (path) => statSync(here(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * The folder of the program: the bundle. In a clone, the output of `tsc -b` runs instead if it is
 * newer, so that the command never lags behind the last build.
 */
export function programFolder() {
  const bundle = here('../bundle/');
  if (!existsSync(here('../src'))) return bundle;
  const compiled = ['cli', 'contract', 'lake', 'engine', 'client', 'mcp', 'server'].map((name) =>
    changed(`../../${name}/dist/.tsbuildinfo`),
  );
  return changed('../bundle/main.js') > Math.max(...compiled) ? bundle : here('../dist/');
}
