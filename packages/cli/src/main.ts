import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERROR_CODES } from '@lakehouse-search/contract';
import { flush, run as runCommand, settings } from '@oclif/core';
import { flagsBehind } from './config/flags-first.ts';
import { firstScreen } from './first-screen.ts';
import { processTerminal } from './terminal/terminal.ts';

/**
 * Runs the command line of this process. `program` is the folder of commands, hooks and help, in
 * the package. Never rejects; the exit code is that of the process. Not awaited by `lhs`: a
 * top-level await would end with exit code 13 when the reader of a pipe goes away.
 */
export function run(program: URL): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    stream.prependListener('error', endOnStreamError);
  printWarnings();
  // NO_COLOR wins; Node would warn about the two
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  const args = [...flagsBehind(process.argv.slice(2))];
  // oclif takes LHS_DATA_DIR for a folder of plug-ins; a data folder must not bring code
  const pjson = JSON.parse(readFileSync(new URL('../package.json', program), 'utf8'));
  settings.enableAutoTranspile = false; // the program is compiled; oclif would look for TypeScript
  const loadOptions = { root: fileURLToPath(program), pjson, userPlugins: false };
  const work = args.length === 0 ? showFirstScreen() : runCommand(args, loadOptions);
  return work.then(() => flush()).catch(report);
}

async function showFirstScreen(): Promise<void> {
  processTerminal().out(...firstScreen());
}

/** Reports an error from outside of our commands (help, completion) as they report theirs. */
async function report(error: Error & { readonly code?: string }): Promise<void> {
  const { errorReport } = await import('./terminal/errors/error-report.ts');
  const { styleFor } = await import('./terminal/style.ts');
  const terminal = processTerminal();
  const { lines, exit } = errorReport(error, styleFor({ color: false }), terminal.errWidth);
  process.exitCode = exit;
  if (error.code !== 'EEXIT') terminal.err(...lines);
}

/** Prints our own warnings as a line of text; Node would add its process id and advice. */
function printWarnings(): void {
  const printers = process.rawListeners('warning') as ((warning: Error) => void)[];
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'LhsWarning') processTerminal().err(`warning: ${warning.message}`);
    else for (const printer of printers) printer(warning);
  });
}

/** Ends the process: quietly if the reader of a pipe went away, with an error if a disk is full. */
function endOnStreamError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  if (error.code !== 'ENOSPC') throw error;
  processTerminal().err('error: cannot write the output: no space left on the device (ENOSPC)');
  process.exit(ERROR_CODES.disk_full.exit);
}
