import { LhsCommand } from '../../base-command.ts';
import { readLines } from '../../files/read-text.ts';
import { jsonText } from '../../terminal/json-text.ts';

export default class BuildTask extends LhsCommand {
  static override summary =
    'Run the tasks of standard input (a line each of "build plan"), and print a result for each.';
  static override description =
    'A task reads its rows of the table and puts their segments into the storage of the index, ' +
    'without a data folder. A task that has run prints its result again.';
  static override examples = [
    '<%= config.bin %> build task < tasks.jsonl > results.jsonl',
    'parallel -j 8 --pipe -N1 <%= config.bin %> build task < tasks.jsonl > results.jsonl',
  ];

  override async run(): Promise<void> {
    await this.parse(BuildTask);
    const { runTaskLine } = await import('@lakehouse-search/engine/local/internal');
    // who has started it tells that it stops
    const stop = new AbortController();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
    for await (const line of readLines('-')) {
      if (line.trim() === '') continue;
      this.terminal.data(jsonText(await runTaskLine(line, { signal: stop.signal })));
    }
  }
}
