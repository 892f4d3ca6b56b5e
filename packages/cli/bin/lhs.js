#!/usr/bin/env node
import { existsSync, mkdirSync, readFileSync, writeSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/**
 * Caches compiled code in the user's cache folder. Not in the temporary folder: other users can
 * write there, and cached code is run unchecked. Without a folder, starts are slower.
 */
function enableCompileCache(cache) {
  const folder = join(cache, 'compiled');
  try {
    mkdirSync(folder, { recursive: true });
    module.enableCompileCache(folder);
  } catch {
    // a home without room, or that is read-only
  }
}

/** Fails as all commands do if the device behind standard output is full. */
function printVersion(version) {
  try {
    writeSync(1, `lhs ${version}\n`);
  } catch (error) {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error: cannot write the output: ${error.message}\n`);
    process.exitCode = 1;
  }
}

const [major, minor] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);
if (major < 22 || (major === 22 && minor < 19)) {
  const { nodeBeside, runWith } = await import('./newer-node.js');
  const node = nodeBeside();
  if (node !== undefined) runWith(node);
  else {
    process.stderr.write(`error: lhs needs Node 22.19 or newer, this is ${process.version}\n`);
    const isClone = existsSync(new URL('../src', import.meta.url));
    const quoted = (word) =>
      /[^\w@%+=:,./-]/.test(word) ? `'${word.replace(/'/g, "'\\''")}'` : word;
    const command = ['npx -p node@24 lhs', ...args.map(quoted)].join(' ');
    const wayOut = isClone
      ? 'npm ci installs one that lhs then uses'
      : `${command} runs it with a newer one, which https://nodejs.org has`;
    process.stderr.write(`  ${wayOut}\n`);
    process.exitCode = 1;
  }
} else if (args.length === 1 && ['--version', '-v', '-V'].includes(args[0])) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  printVersion(version);
} else {
  if (process.connected) (await import('./newer-node.js')).endWithLauncher();
  const { completeEnvironment } = await import('./complete-environment.js');
  enableCompileCache(completeEnvironment(process.env));
  // stacks name source files instead of chunks of the bundle
  if (args.includes('--debug')) process.setSourceMapsEnabled(true);
  // the version has just been checked: oclif would load semver to do it again
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1';
  const { programFolder } = await import('./program-folder.js');
  const program = programFolder();
  const { run } = await import(new URL('main.js', program));
  run(program);
}
