import type { BackendApi } from '@lakehouse-search/contract/internal';
import { LhsCommand } from '../base-command.ts';
import { candidates } from '../completion/candidates.ts';
import { globalValues } from '../config/flags-first.ts';
import { readUserFile } from '../config/settings-file.ts';

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
    const { words: found, files } = await candidates([...words, current], {
      commands: this.config.commands,
      backend: () => this.#backendOf(flags),
      profiles: () => Object.keys(readUserFile().profiles),
      catalogs: () => catalogNames(),
      pages: pageNames,
    });
    const shown = [...new Set(found)].filter((word) => word.startsWith(current));
    if (shown.length > 0) this.terminal.data(shown.join('\n'));
    if (files) this.terminal.data(':files');
  }

  async #backendOf(flags: Parameters<LhsCommand['backend']>[0]): Promise<BackendApi | undefined> {
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
