import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';

/**
 * Throws invalid_argument for an argument whose bytes are not UTF-8. Node puts U+FFFD in place of
 * them, so that a path names another file.
 */
export function requireUtf8Arguments(argv: readonly string[]): void {
  const lost = argv.find((argument) => argument.includes('\ufffd'));
  if (lost === undefined || isUtf8(commandLine())) return;
  throw new LhsError('invalid_argument', `argument ${JSON.stringify(lost)} is not UTF-8`, {
    hint: 'names of files and folders have to be UTF-8: rename it, or choose another',
  });
}

/** The bytes of the command line; empty where the system does not tell them. */
function commandLine(): Uint8Array {
  try {
    return readFileSync('/proc/self/cmdline');
  } catch {
    return new Uint8Array();
  }
}
