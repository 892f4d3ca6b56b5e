import { fileURLToPath } from 'node:url';
import { execute } from '@oclif/core';
import { firstScreen } from './first-screen.ts';

/**
 * Runs the command line of this process. Not awaited by the caller: a top-level await would end
 * with exit code 13 when the reader of a pipe goes away.
 */
export function run(entry: string): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', brokenPipe);
  const args = process.argv.slice(2);
  if (args.length === 0) {
    process.stdout.write(`${firstScreen()}\n`);
    return;
  }
  // oclif takes LHS_DATA_DIR for a folder of plug-ins; a data folder must not bring code
  const loadOptions = { root: fileURLToPath(entry), userPlugins: false };
  void execute({ args, loadOptions });
}

function brokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}
