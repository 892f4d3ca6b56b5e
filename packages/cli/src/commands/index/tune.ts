import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { setHybrid } from '../../files/set-hybrid.ts';
import { readRehearsed } from '../../search/rehearsal.ts';
import { hybridLine, tuneHybrid, tuningLines } from '../../search/tune-hybrid.ts';

export default class IndexTune extends LhsCommand {
  static override summary = 'Find the fusion of words and meaning that ranks judged searches best.';
  static override description =
    'Each line of the file is a search with judgments: {"request": {"query_text": "…"}, ' +
    '"judgments": [{"key": {"identifier": [{"name": "id", "value": "7"}]}, "grade": 1}]}. ' +
    'With -f the best setting is written into the definition; `lhs index alter` puts it in force.';
  static override examples = [
    '<%= config.bin %> index tune incidents --queries judged.ndjson',
    '<%= config.bin %> index tune incidents --queries judged.ndjson -f incidents.yaml',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    queries: Flags.string({
      description: 'judged searches, one per line',
      helpValue: 'FILE',
      required: true,
    }),
    file: Flags.string({
      char: 'f',
      description: 'definition to write the setting into (YAML)',
      helpValue: 'FILE',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexTune);
    const { index } = args;
    const queries = await readRehearsed(flags.queries);
    const file = flags.file === undefined ? null : await this.definitionOf(undefined, flags.file);
    const backend = await this.backend(flags);
    const tuning = await this.stoppable('nothing was changed', (signal) =>
      tuneHybrid(backend, index, queries, { signal }),
    );
    if (flags.json) this.printJson(tuning);
    else this.print(tuningLines(tuning));
    if (file === null) return;
    await setHybrid(file.file, file.text, hybridLine(tuning.best.setting));
    if (!flags.json) this.print([`next: lhs index alter ${index} -f ${file.file} --apply`]);
  }
}
