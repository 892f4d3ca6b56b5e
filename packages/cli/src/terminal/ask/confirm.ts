import { createInterface } from 'node:readline/promises';
import { LhsError } from '@lakehouse-search/contract';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

/**
 * Asks before something is destroyed. Without a terminal the answer must have been given with
 * --yes.
 */
export async function confirm(
  terminal: Terminal,
  question: string,
  yes: boolean,
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.asks) {
    throw new LhsError('invalid_argument', `there is no terminal to ask: ${question}`, {
      hint: 'add --yes to continue without a question',
    });
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${printable(question)} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
