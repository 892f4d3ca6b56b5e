import type { SourceDescription } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { sourceFlags, tableRequest } from '../../source/source-flags.ts';
import { plural, snapshotName } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

export default class SourceDescribe extends LhsCommand {
  static override summary = 'Show the schema of a table and its current contents.';
  static override examples = [
    '<%= config.bin %> source describe ops.incidents --warehouse ./lake',
    '<%= config.bin %> source describe --path ./lake/ops/incidents --json',
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table (not with --path)' }),
  };
  static override flags = sourceFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceDescribe);
    const api = await this.source(flags);
    const source = await tableRequest(flags, args.table, this.isRemote(flags));
    const facts = await api.describeSource(source);
    if (flags.json) return this.printJson(facts);
    const titles = [
      { title: 'id', align: 'right' as const },
      { title: 'column' },
      { title: 'type' },
      { title: '' },
    ];
    const rows = facts.columns.map((c) => [
      String(c.id),
      c.name,
      c.type,
      note(c.required, facts.identifier.includes(c.name), maskOf(facts, c.name)),
    ]);
    this.print([
      `${facts.table}  Iceberg v${facts.format_version}, ${plural(facts.snapshots, 'snapshot')}, ` +
        (facts.snapshot === null ? 'no data yet' : `at ${snapshotName(facts.snapshot)}`) +
        (facts.read_restrictions?.row_filter ? '; the catalog hides some rows' : ''),
      '',
      ...table(titles, rows, this.terminal.width, this.style.dim),
    ]);
  }
}

const maskOf = ({ read_restrictions: restrictions }: SourceDescription, name: string) =>
  restrictions?.masked.find(({ column }) => column === name)?.action;

function note(required: boolean, key: boolean, mask: string | undefined): string {
  const words = [
    key ? 'key' : required ? 'required' : '',
    mask === undefined ? '' : `masked: ${mask}`,
  ];
  return words.filter((word) => word !== '').join(', ');
}
