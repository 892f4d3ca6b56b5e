/**
 * `npm run bench`: every benchmark that has what it needs, one after another, printed as it comes.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAMS = [
  'peers.ts',
  'commits.ts',
  'startup.ts',
  'mcp.ts',
  'hydrate.ts',
  'sync.ts',
  'merge-on-read.ts',
  'verify.ts',
  'reindex.ts',
  'high-cardinality.ts',
  'import.ts',
];

for (const program of PROGRAMS) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  console.log(`\n== ${program}`);
  spawnSync(process.execPath, [path], { stdio: 'inherit' });
}
