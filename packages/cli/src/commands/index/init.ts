import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { list } from '../../search/flag-values.ts';
import { sourceFlags, tableRequest } from '../../source/source-flags.ts';
import { escapedControls } from '../../terminal/json-text.ts';

export default class IndexInit extends LhsCommand {
  static override summary = 'Print a first definition from a table’s schema.';
  static override examples = [
    '<%= config.bin %> index init ops.incidents --warehouse ./lake > incidents.yaml',
    '<%= config.bin %> index init --path ./lake/ops/incidents --name incidents > incidents.yaml',
    '<%= config.bin %> index init my.batting --key playerID,yearID,stint > batting.yaml',
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table (not with --path)' }),
  };
  static override flags = {
    ...sourceFlags,
    name: Flags.string({ description: 'name of the index (the table’s)', helpValue: 'INDEX' }),
    key: Flags.string({ description: 'columns of the key (proposed)', helpValue: 'A,B' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexInit);
    const api = await this.source(flags);
    const source = await tableRequest(flags, args.table, this.isRemote(flags));
    const { definition } = await api.initDefinition({
      ...source,
      name: flags.name,
      key: list(flags.key),
    });
    if (flags.json) return this.printJson({ definition });
    this.terminal.data(escapedControls(definition.trimEnd()));
    const index = /^index: (\S+)$/m.exec(definition)?.[1] ?? 'INDEX';
    this.terminal.err(
      `next: lhs index validate FILE, lhs index create FILE, then lhs index reindex ${index}`,
    );
  }
}
