/**
 * A process that runs an erasure and kills itself before a file operation: node kill-child.ts
 * DATA_DIR BACKUPS [N]. Without N it lives and prints how many operations there are.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [dataDir, backups, at] = process.argv.slice(2);
const NAMES = ['openSync', 'renameSync', 'unlinkSync', 'rmSync', 'linkSync', 'fsyncSync'] as const;
const PROMISED = ['open', 'rename', 'unlink', 'rm', 'link'] as const;
let operations = 0;
let counts = false;

function counted<A extends readonly unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    const reads = args[1] === 'r' || (typeof args[1] === 'number' && (args[1] & 3) === 0);
    if (counts && !reads && String(operations++) === at) process.kill(process.pid, 'SIGKILL');
    return work(...args);
  };
}
const patched = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
for (const name of NAMES) patched[name] = counted(patched[name]);
const promised = fs.promises as unknown as typeof patched;
for (const name of PROMISED) promised[name] = counted(promised[name]);
syncBuiltinESMExports();

const { openEngine } = await import('../../src/local-backend.ts');
const { tinyModels } = await import('../../../../test/support/tiny-model.ts');
const { KEY } = await import('./erase-lake.ts');
const backend = await openEngine(dataDir, {
  create: true,
  threads: 0,
  openEmbedder: tinyModels().open,
});
counts = true;
await backend.runErasure({
  ...{ index: 't', keys: [KEY], backups: [backups] },
  ...{ close_pits: true, replace_backups: true },
});
counts = false;
console.log(operations);
await backend.close();
