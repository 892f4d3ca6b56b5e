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
  ];
  static override flags = {
    git: Flags.string({
      description: 'use the history of this git repository instead',
      helpValue: 'DIR',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Demo);
    const backend = await this.localBackend(flags);
    const dataDir = this.dataDir(flags);
    const tell = flags.json ? () => {} : (line: string) => this.print(this.#folded(line));
    if (flags.git !== undefined) {
      const report = await runGitDemo(backend, dataDir, flags.git, tell);
      if (flags.json) this.printJson(report);
      return;
    }
    const report = await runDemo(backend, dataDir, tell);
    if (!report.equal) process.exitCode = 1;
    if (flags.json) this.printJson(report);
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
