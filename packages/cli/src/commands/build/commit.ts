import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { nextSearch } from '../../search/next-search.ts';
import { builtLines } from '../../sync/built-lines.ts';
import { readResults, resultsArg } from '../../sync/results-arg.ts';

export default class BuildCommit extends LhsCommand {
  static override summary =
    'Make an index of the results of all tasks of a plan, and publish it at once.';
  static override examples = [
    '<%= config.bin %> build commit incidents results.jsonl',
    'cat results/* | <%= config.bin %> build commit incidents',
  ];
  static override args = { index: indexArg, results: resultsArg };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(BuildCommit);
    const results = await readResults(args.results);
    const backend = await this.localBackend(flags);
    const done = await this.stoppable('the live generation is untouched', (signal) =>
      backend.commitBuild({ index: args.index, results }, { signal }),
    );
    if (flags.json) this.printJson(done);
    else this.print(builtLines(args.index, done, await nextSearch(backend, args.index)));
  }
}
