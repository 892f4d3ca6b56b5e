import { createInterface } from 'node:readline/promises';
import { LhsError } from '@lakehouse-search/contract';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

/** A line that a person types. Throws invalid_argument, naming `flag`, without a terminal. */
export async function askLine(terminal: Terminal, question: string, flag: string): Promise<string> {
  if (!terminal.asks) {
    throw new LhsError('invalid_argument', `there is no terminal to ask: ${question.trim()}`, {
      hint: `add ${flag}`,
    });
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(printable(question))).trim();
  } finally {
    lines.close();
  }
}
