import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { readLines } from '../../files/read-text.ts';
import { nextSearch } from '../../search/next-search.ts';
import { builtLines } from '../../sync/built-lines.ts';

export default class BuildCommit extends LhsCommand {
  static override summary =
    'Make an index of the results of all tasks of a plan, and publish it at once.';
  static override examples = [
    '<%= config.bin %> build commit incidents results.jsonl',
    'cat results/* | <%= config.bin %> build commit incidents',
  ];
  static override args = {
    index: indexArg,
    results: Args.string({
      ignoreStdin: true,
      description: 'file with the lines that tasks have printed, - for stdin',
      default: '-',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(BuildCommit);
    const lines = await Array.fromAsync(readLines(args.results));
    const results = lines.filter((line) => line.trim() !== '');
    const backend = await this.localBackend(flags);
    const done = await this.stoppable('the live generation is untouched', (signal) =>
      backend.commitBuild({ index: args.index, results }, { signal }),
    );
    if (flags.json) this.printJson(done);
    else this.print(builtLines(args.index, done, await nextSearch(backend, args.index)));
  }
}
