import type { BackendApi } from '@lakehouse-search/contract/internal';
import { LhsCommand } from '../base-command.ts';
import { candidates } from '../completion/candidates.ts';
import { globalValues, valuesIn } from '../config/flags-first.ts';
import { readUserFile } from '../config/settings-file.ts';

/** A word in any case, without the quotes of its values. */
const lettersOf = (word: string): string => word.toLowerCase().replace(/["\\]/g, '');

type GlobalFlags = Parameters<LhsCommand['backend']>[0];

export default class Complete extends LhsCommand {
  static override hidden = true;
  static override strict = false;
  static override summary = 'Print the words that can stand at the cursor (for shells).';
  static override examples = [
    '<%= config.bin %> complete -- search inc',
    '<%= config.bin %> complete -- search demo-incidents --sort ""',
  ];

  override async run(): Promise<void> {
    const at = this.argv.indexOf('--');
    // a shell passes the quote of a word that is not finished
    const words = this.argv.slice(at + 1);
    const current = (words.pop() ?? '').replace(/^['"]/, '');
    const flags = globalValues(words);
    const { pageNames } = await import('../help/pages.ts');
    const { catalogNames } = await import('../config/catalogs.ts');
    const { words: found, paths } = await candidates([...words, current], {
      commands: this.config.commands,
      backend: () => this.#backendOf(flags),
      profiles: () => Object.keys(readUserFile().profiles),
      catalogs: () => catalogNames(),
      tables: () => this.#tablesOf(words, flags),
      pages: pageNames,
    });
    // a line is a word
    const all = [...new Set(found)].filter((word) => !/\p{Cc}/u.test(word));
    const exact = all.filter((word) => word.startsWith(current));
    const start = lettersOf(current);
    const shown = exact.length > 0 ? exact : all.filter((one) => lettersOf(one).startsWith(start));
    if (shown.length > 0) this.terminal.data(shown.join('\n'));
    if (paths !== undefined) this.terminal.data(`:${paths}`);
  }

  async #tablesOf(words: readonly string[], flags: GlobalFlags): Promise<readonly string[]> {
    try {
      const { catalogRequest } = await import('../source/source-flags.ts');
      const named = valuesIn(words, ['--warehouse', '--catalog']);
      const catalog = await catalogRequest({ ...flags, ...named }, this.isRemote(flags));
      return (await (await this.source(flags)).listTables(catalog)).tables;
    } catch {
      return [];
    }
  }

  async #backendOf(flags: GlobalFlags): Promise<BackendApi | undefined> {
    try {
      return await this.backend(flags);
    } catch {
      // a completion reports no errors: the command itself will
      return undefined;
    }
  }

  /** Nothing is printed for faults of a line that is not complete. */
  override async catch(): Promise<void> {
    process.exitCode = 1;
  }
}
