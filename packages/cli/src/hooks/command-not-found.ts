import { existsSync } from 'node:fs';
import type { Hook } from '@oclif/core';
import Search from '../commands/search.ts';
import { flagsBehind, globalValues } from '../config/flags-first.ts';
import { searchableNames } from '../config/searchable-names.ts';
import { unknownCommand } from '../help/not-found.ts';

/** A path or an address; `_cat/indices` is neither. */
const LOCATION = /^(\.{0,2}|~)\/|:\/\//;

/**
 * `lhs INDEX words` is `lhs search INDEX words` if no command has the name of the index. It may be
 * a location.
 */
class NamedSearch extends Search {
  static override id = 'search';

  override async run(): Promise<void> {
    const [name, ...rest] = this.argv;
    if (name.includes('/') && (LOCATION.test(name) || existsSync(name))) return super.run();
    const indexes = await this.#names();
    if (indexes.includes(name)) return super.run();
    const words = [name, ...rest.filter((word) => !word.startsWith('-'))];
    throw unknownCommand(words, this.config.commands, indexes);
  }

  /** Indexes and aliases; none if the backend cannot be reached. */
  async #names(): Promise<readonly string[]> {
    try {
      return await searchableNames(await this.backend(globalValues(this.argv)));
    } catch {
      return [];
    }
  }
}

/** Searches the index that the first word names, or reports the command that was meant. */
const commandNotFound: Hook<'command_not_found'> = async ({ config }) => {
  await NamedSearch.run([...flagsBehind(process.argv.slice(2))], config);
};

export default commandNotFound;
