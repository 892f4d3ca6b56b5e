import { memoryBytes } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { readResults, resultsArg } from '../../sync/results-arg.ts';
import { jsonText } from '../../terminal/json-text.ts';

export default class BuildMerge extends LhsCommand {
  static override summary =
    'Print tasks that merge the segments of results, a line of JSON each, for "build task".';
  static override description =
    'A merge fails if two of its rows share a key that must not repeat. Commit its results ' +
    'together with those of the other tasks.';
  static override examples = [
    '<%= config.bin %> build merge incidents results.jsonl --tasks 2 > merges.jsonl',
    'cat results/* | <%= config.bin %> build merge incidents | <%= config.bin %> build task',
  ];
  static override args = { index: indexArg, results: resultsArg };
  static override flags = {
    tasks: Flags.integer({
      description: 'number of merges, at most (one per 8388608 documents)',
      min: 1,
      helpValue: 'N',
    }),
    memory: Flags.string({
      description: 'memory that a merge may take, from 224MiB on (1GiB)',
      helpValue: 'SIZE',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(BuildMerge);
    const results = await readResults(args.results);
    const memory_bytes = flags.memory === undefined ? undefined : memoryBytes(flags.memory);
    const request = { index: args.index, results, tasks: flags.tasks, memory_bytes };
    const tasks = await (await this.localBackend(flags)).planMerges(request);
    for (const task of tasks) this.terminal.data(jsonText(task));
  }
}
