import type { BackendApi } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { runDemo } from '../demo/run-demo.ts';
import { runGitDemo } from '../demo/run-git-demo.ts';
import { wrap } from '../terminal/text.ts';

export default class Demo extends LhsCommand {
  static override summary = 'Index a sample table, search it, change it and sync the index.';
  static override examples = [
    '<%= config.bin %> demo',
    '<%= config.bin %> demo --git ~/src/project',
    '<%= config.bin %> demo --serve',
  ];
  static override flags = {
    git: Flags.string({
      description: 'use the history of this git repository instead',
      helpValue: 'DIR',
    }),
    serve: Flags.boolean({ description: 'serve the data folder afterwards, until stopped' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Demo);
    const backend = await this.localBackend(flags);
    const dataDir = this.dataDir(flags);
    const tell = flags.json ? () => {} : (line: string) => this.print(this.#folded(line));
    if (flags.git !== undefined) {
      const report = await runGitDemo(backend, dataDir, flags.git, tell);
      if (flags.json) this.printJson(report);
      if (flags.serve) await this.#serve(backend, flags);
      return;
    }
    const report = await runDemo(backend, dataDir, tell);
    if (!report.equal) process.exitCode = 1;
    if (flags.json) this.printJson(report);
    if (flags.serve) await this.#serve(backend, flags);
  }

  /** Serves the data folder of the demo with the settings of the environment. */
  async #serve(backend: BackendApi, flags: { readonly 'data-dir'?: string }): Promise<void> {
    await backend.close();
    const { startLines, startServer } = await import('../serve/run-server.ts');
    const { signal } = this.interruptible();
    const started = await startServer({}, this.dataDir(flags));
    this.terminal.err('', ...startLines(started), '');
    await this.untilStopped(signal, started.server);
  }

  /**
   * A line of the demo, wrapped to the terminal's width; a command stays on one line to be copied.
   */
  #folded(line: string): string[] {
    if (/^ *lhs /.test(line)) return [line];
    const indent = ' '.repeat(line.search(/\S|$/) + 4);
    return line === '' ? [''] : wrap(line, this.terminal.width, indent);
  }
}
