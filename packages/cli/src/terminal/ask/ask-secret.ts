import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { LhsError } from '@lakehouse-search/contract';
import { printable } from '../text.ts';

/**
 * A secret that a person types, which is not shown, or the first line of standard input. Throws
 * invalid_argument if there is none.
 */
export async function askSecret(question: string): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  let isMuted = false;
  const output = new Writable({
    write(chunk, _, done) {
      if (isMuted) done();
      else process.stderr.write(chunk, () => done());
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  try {
    const line = new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(noSecret()));
      lines.once('SIGINT', () => reject(new LhsError('interrupted', 'interrupted')));
    });
    if (isTerminal) output.write(printable(question));
    isMuted = true;
    return await line;
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}

const noSecret = (): LhsError =>
  new LhsError('invalid_argument', 'standard input is empty: its first line is the secret', {
    hint: 'run the command in a terminal, which asks for it, or pipe it in',
  });
