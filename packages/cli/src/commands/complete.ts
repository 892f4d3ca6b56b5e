import type { Backend } from '@lakehouse-search/contract';
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
    '<%= config.bin %> complete -- search incidents --sort ""',
  ];

  override async run(): Promise<void> {
    const at = this.argv.indexOf('--');
    const words = this.argv.slice(at + 1);
    const flags = globalValues(words.slice(0, -1));
    const { catalogNames } = await import('../config/catalogs.ts');
    const { words: found, files } = await candidates(words.length === 0 ? [''] : words, {
      commands: this.config.commands,
      backend: () => this.#backendOf(flags),
      profiles: () => Object.keys(readUserFile().profiles),
      catalogs: () => catalogNames(),
    });
    const shown = found.filter((word) => word.startsWith(words.at(-1) ?? ''));
    if (shown.length > 0) this.terminal.data(shown.join('\n'));
    if (files) this.terminal.data(':files');
  }

  async #backendOf(flags: Parameters<LhsCommand['backend']>[0]): Promise<Backend | undefined> {
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
