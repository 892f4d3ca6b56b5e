#!/usr/bin/env node
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Caches compiled code in the temporary folder, if a folder can be made there. Node would try for
 * ever in one that exists but cannot hold another, as /proc.
 */
function enableCompileCache() {
  const folder = join(tmpdir(), 'node-compile-cache');
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    module.enableCompileCache(folder);
  } catch {
    // slower, and as good
  }
}

const [major, minor] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`error: lhs needs Node 22.19 or newer, this is ${process.version}\n`);
  process.stderr.write('  in a clone, npx lhs uses the Node that npm ci installed\n');
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  const { readFileSync } = await import('node:fs');
  const file = new URL('../package.json', import.meta.url);
  process.stdout.write(`lhs ${JSON.parse(readFileSync(file, 'utf8')).version}\n`);
} else {
  enableCompileCache();
  // the version has just been checked: oclif would load semver (47 modules) to do it again
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1';
  const { run } = await import('../dist/main.js');
  run(import.meta.url);
}
