import { createInterface } from 'node:readline';

/**
 * Asks a question on the terminal and returns the first letter of the answer, in lower case; empty
 * for Enter and for the end of the input. `again` is called for Ctrl-C.
 */
export async function askLetter(question: string, again: () => void): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  try {
    return await new Promise<string>((resolve) => {
      lines.on('SIGINT', again);
      lines.on('close', () => resolve(''));
      lines.question(question, (answer) => resolve(answer.trim().slice(0, 1).toLowerCase()));
    });
  } finally {
    lines.close();
  }
}
