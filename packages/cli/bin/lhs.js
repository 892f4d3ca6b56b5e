#!/usr/bin/env node
import module from 'node:module';

module.enableCompileCache?.();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-v' || args[0] === 'version')) {
  const { readFileSync } = await import('node:fs');
  const file = new URL('../package.json', import.meta.url);
  process.stdout.write(`lhs ${JSON.parse(readFileSync(file, 'utf8')).version}\n`);
} else {
  const { run } = await import('../dist/main.js');
  run(import.meta.url);
}
