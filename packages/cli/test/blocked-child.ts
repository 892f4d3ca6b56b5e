/**
 * A command whose only work is to wait for ever in a system call, on every thread that Node has for
 * files.
 */
import { readFile } from 'node:fs/promises';
import { LhsCommand } from '../src/base-command.ts';

const [pipe = ''] = process.argv.slice(2);

class Blocked extends LhsCommand {
  override async run(): Promise<void> {
    this.interruptible();
    const reads = Array.from({ length: 8 }, () => readFile(pipe));
    this.terminal.err('reading');
    await Promise.all(reads);
  }
}

await Blocked.run([], { root: import.meta.dirname });
