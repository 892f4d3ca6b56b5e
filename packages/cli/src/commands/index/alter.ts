import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { readDefinition } from '../../files/definition-file.ts';
import { alterLines } from '../../search/alter-lines.ts';
import { progressReport } from '../../terminal/progress.ts';

const UNCHANGED = 'the definition and the live generation are unchanged';

export default class IndexAlter extends LhsCommand {
  static override summary =
    'Show what a new definition changes and what that costs; --apply puts it in force.';
  static override examples = [
    '<%= config.bin %> index alter incidents -f incidents.yaml',
    '<%= config.bin %> index alter incidents -f incidents.yaml --apply',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };
  static override flags = {
    file: Flags.string({
      char: 'f',
      description: 'new definition (YAML), - for stdin',
      helpValue: 'FILE',
      required: true,
    }),
    apply: Flags.boolean({ description: 'put it in force, by a reindex if the plan says so' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexAlter);
    const { definition, baseDir } = await readDefinition(undefined, flags.file);
    const backend = await this.backend(flags);
    const { index } = args;
    const { apply } = flags;
    const request = { index, definition_yaml: definition, base_dir: baseDir, apply };
    const report = progressReport(this.terminal, index, flags.json ?? false);
    const plan = await this.stoppable(UNCHANGED, (signal) =>
      backend.alterIndex(request, { progress: report.update, signal }).finally(report.stop),
    );
    if (flags.json) return this.printJson(plan);
    this.print(alterLines(plan, this.terminal.width));
  }
}
