import { memoryBytes } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { jsonText } from '../../terminal/json-text.ts';

export default class BuildPlan extends LhsCommand {
  static override summary =
    'Divide the build of an index with "storage" into tasks, a line of JSON each.';
  static override examples = [
    '<%= config.bin %> build plan incidents --tasks 8 > tasks.jsonl',
    '<%= config.bin %> build plan incidents --rows-per-task 500000 --memory 2GiB',
  ];
  static override args = { index: indexArg };
  static override flags = {
    tasks: Flags.integer({ description: 'number of tasks, at most', min: 1, helpValue: 'N' }),
    'rows-per-task': Flags.integer({
      description: 'rows of a task, about (1000000; with less than 489MiB of memory fewer)',
      min: 1,
      exclusive: ['tasks'],
      helpValue: 'N',
    }),
    memory: Flags.string({
      description: 'memory that a task may take, from 224MiB on (1GiB)',
      helpValue: 'SIZE',
    }),
    'as-of': Flags.string({
      description: 'snapshot to build from (the current one)',
      helpValue: 'SNAPSHOT',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(BuildPlan);
    const request = {
      index: args.index,
      as_of: flags['as-of'],
      tasks: flags.tasks,
      rowsPerTask: flags['rows-per-task'],
      memory_bytes: flags.memory === undefined ? undefined : memoryBytes(flags.memory),
    };
    const tasks = await (await this.localBackend(flags)).planBuild(request);
    for (const task of tasks) this.terminal.data(jsonText(task));
  }
}
