import type { Hook } from '@oclif/core';
import Search from '../commands/search.ts';
import { flagsBehind, globalValues } from '../config/flags-first.ts';
import { unknownCommand } from '../help/not-found.ts';

/** `lhs INDEX words` is `lhs search INDEX words` if no command has the name of the index. */
class NamedSearch extends Search {
  static override id = 'search';

  override async run(): Promise<void> {
    const [name, ...rest] = this.argv;
    if (await this.#isIndex(name)) return super.run();
    const words = [name, ...rest.filter((word) => !word.startsWith('-'))];
    throw unknownCommand(words, this.config.commands);
  }

  /** False also if the backend cannot be reached: the word may be a misspelled command. */
  async #isIndex(index: string): Promise<boolean> {
    try {
      const backend = await this.backend(globalValues(this.argv));
      await backend.describeIndex({ index });
      return true;
    } catch {
      return false;
    }
  }
}

/** Searches the index that the first word names, or reports the command that was meant. */
const commandNotFound: Hook<'command_not_found'> = async ({ config }) => {
  await NamedSearch.run([...flagsBehind(process.argv.slice(2))], config);
};

export default commandNotFound;
