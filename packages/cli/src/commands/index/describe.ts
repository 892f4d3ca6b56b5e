import type { FieldDescription, IndexDescription } from '@lakehouse-search/engine';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { bytes, count, plural, snapshotName } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';
import { wrap } from '../../terminal/text.ts';

export default class IndexDescribe extends LhsCommand {
  static override summary = 'Show the fields and figures of an index.';
  static override examples = [
    '<%= config.bin %> index describe incidents',
    '<%= config.bin %> index describe incidents --json',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexDescribe);
    const index = await (await this.backend(flags)).describeIndex({ index: args.index });
    if (flags.json) return this.printJson(index);
    const columns = [{ title: 'field' }, { title: 'type' }, { title: 'can' }, { title: 'from' }];
    const rows = index.fields.map((f) => [f.name, f.type, abilities(f), f.source.join(', ')]);
    this.print([
      ...figures(index).flatMap((line) => wrap(line, this.terminal.width)),
      '',
      ...table(columns, rows, this.terminal.width, this.style.dim),
    ]);
  }
}

function figures(index: IndexDescription): string[] {
  const { partition, identifier } = index.key;
  const key = [...partition, ...identifier].join(', ');
  if (index.status === 'created') {
    return [
      `${index.index}  created, not built; key ${key}`,
      `next: lhs index reindex ${index.index}`,
    ];
  }
  const size = `${count(index.num_docs)} rows, ${bytes(index.bytes)} in ${plural(index.segments, 'segment')}`;
  const snapshot =
    index.snapshot === null ? 'the empty table' : `snapshot ${snapshotName(index.snapshot)}`;
  return [
    `${index.index}  live, generation ${index.index_generation}, ${size}`,
    `at ${snapshot}; key ${key}; ${count(index.deleted_docs)} deleted rows await a merge`,
  ];
}

function abilities(field: FieldDescription): string {
  const can: string[] = [];
  if (field.indexed)
    can.push(field.analyzer === undefined ? 'indexed' : `indexed (${field.analyzer})`);
  if (field.fast) can.push('fast');
  if (field.cached) can.push('cached');
  if (field.sensitive) can.push('sensitive');
  return can.join(' ');
}
