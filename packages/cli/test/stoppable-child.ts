/** A command whose work is stopped by a signal (`stopped`), or ends in spite of it (`late`). */
import { LhsError } from '@lakehouse-search/engine';
import { LhsCommand } from '../src/base-command.ts';

const [end = ''] = process.argv.slice(2);

class Stoppable extends LhsCommand {
  override async run(): Promise<void> {
    await this.parse(Stoppable);
    const answer = await this.stoppable('nothing was changed', async (signal) => {
      const stopped = new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      const alive = setInterval(() => {}, 1000);
      this.terminal.err('working');
      await stopped;
      clearInterval(alive);
      if (end === 'stopped') throw new LhsError('interrupted', 'interrupted');
      return 'built';
    });
    this.terminal.out(answer);
  }
}

await Stoppable.run([], { root: import.meta.dirname });
