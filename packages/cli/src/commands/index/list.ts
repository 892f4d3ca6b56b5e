import { LhsCommand } from '../../base-command.ts';
import { bytes, count, lackingWords, missingWords, snapshotName } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

export default class IndexList extends LhsCommand {
  static override aliases = ['list', 'ls'];
  static override summary = 'List the indexes.';
  static override examples = ['<%= config.bin %> list', '<%= config.bin %> list --json'];

  override async run(): Promise<void> {
    const { flags } = await this.parse(IndexList);
    const indexes = await (await this.backend(flags)).listIndexes();
    if (indexes.length === 0) this.tellMissingFolder(flags);
    if (flags.json) return this.printJson({ indexes });
    if (indexes.length === 0) {
      return this.print(['no indexes yet', 'next: lhs index init NAMESPACE.TABLE --warehouse DIR']);
    }
    const rows = indexes.map((i) => [
      i.name,
      i.error === undefined ? i.status : 'damaged',
      count(i.num_docs),
      bytes(i.bytes),
      i.snapshot === null ? '-' : snapshotName(i.snapshot),
    ]);
    const columns = [
      { title: 'index' },
      { title: 'status' },
      { title: 'rows', align: 'right' as const },
      { title: 'size', align: 'right' as const },
      { title: 'snapshot' },
    ];
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
    for (const { name, error, missing_shards, lacking_copies } of indexes) {
      if (missing_shards !== undefined) {
        this.terminal.err(`${name}: ${missingWords(missing_shards)}`);
      }
      if (lacking_copies !== undefined) {
        this.terminal.err(`${name}: ${lackingWords(lacking_copies)}`);
      }
      if (error !== undefined) this.terminal.err(`${name}: ${error} (lhs index reindex ${name})`);
    }
  }
}
