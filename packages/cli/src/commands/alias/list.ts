import { LhsCommand } from '../../base-command.ts';
import { table } from '../../terminal/table.ts';

export default class AliasList extends LhsCommand {
  static override summary = 'List the aliases of indexes.';
  static override examples = [
    '<%= config.bin %> alias list',
    '<%= config.bin %> alias list --json',
  ];

  override async run(): Promise<void> {
    const { flags } = await this.parse(AliasList);
    const aliases = await (await this.backend(flags)).listAliases();
    if (aliases.length === 0) this.tellMissingFolder(flags);
    if (flags.json) return this.printJson({ aliases });
    if (aliases.length === 0) {
      return this.print(['no aliases yet', 'next: lhs alias set ALIAS INDEX']);
    }
    const rows = aliases.map(({ alias, index }) => [alias, index]);
    const columns = [{ title: 'alias' }, { title: 'index' }];
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
