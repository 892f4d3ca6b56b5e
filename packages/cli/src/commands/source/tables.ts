import { LhsCommand } from '../../base-command.ts';
import { catalogRequest, sourceFlags } from '../../source/source-flags.ts';

export default class SourceTables extends LhsCommand {
  static override summary = 'List the tables of a catalog.';
  static override examples = [
    '<%= config.bin %> source tables --warehouse ./lake',
    '<%= config.bin %> source tables --catalog catalog.yaml --json',
  ];
  static override flags = { warehouse: sourceFlags.warehouse, catalog: sourceFlags.catalog };

  override async run(): Promise<void> {
    const { flags } = await this.parse(SourceTables);
    const catalog = await catalogRequest(flags, this.isRemote(flags));
    const listed = await (await this.source(flags)).listTables(catalog);
    const { tables, unread = [] } = listed;
    for (const { namespace, reason } of unread) {
      process.emitWarning(`namespace "${namespace}" is not listed: ${reason}`, 'LhsWarning');
    }
    if (flags.json) return this.printJson(listed);
    if (tables.length === 0 && unread.length === 0)
      return this.print([
        'no tables here',
        'next: lhs source import FILE --table ns.t --warehouse DIR',
      ]);
    this.print([...tables]);
  }
}
