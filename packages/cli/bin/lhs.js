#!/usr/bin/env node
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const here = (path) => new URL(path, import.meta.url);
const changed = (path) => statSync(here(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * The folder of the program: the bundle. In a clone, the output of `tsc -b` runs instead if it is
 * newer, so that the command never lags behind the last build.
 */
function programFolder() {
  const bundle = here('../bundle/');
  if (!existsSync(here('../src'))) return bundle;
  const compiled = ['cli', 'contract', 'lake', 'engine', 'client', 'mcp', 'server'].map((name) =>
    changed(`../../${name}/dist/.tsbuildinfo`),
  );
  return changed('../bundle/main.js') > Math.max(...compiled) ? bundle : here('../dist/');
}

/**
 * Caches compiled code in the user's cache folder. Not in the temporary folder: other users can
 * write there, and cached code is run unchecked. Without a folder, starts are slower.
 */
function enableCompileCache() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(caches, 'lhs', 'compiled');
  try {
    mkdirSync(folder, { recursive: true });
    module.enableCompileCache(folder);
  } catch {
    // a home without room, or that is read-only
  }
}

const [major, minor] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`error: lhs needs Node 22.19 or newer, this is ${process.version}\n`);
  process.stderr.write('  in a clone, npx lhs uses the Node that npm ci installed\n');
  process.exitCode = 1;
} else if (args.length === 1 && ['--version', '-v', '-V'].includes(args[0])) {
  const { version } = JSON.parse(readFileSync(here('../package.json'), 'utf8'));
  process.stdout.write(`lhs ${version}\n`);
} else {
  enableCompileCache();
  // stacks name source files instead of chunks of the bundle
  if (args.includes('--debug')) process.setSourceMapsEnabled(true);
  // the version has just been checked: oclif would load semver to do it again
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1';
  const program = programFolder();
  const { run } = await import(new URL('main.js', program));
  run(program);
}
