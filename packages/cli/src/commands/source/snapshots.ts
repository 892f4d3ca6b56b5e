import { openTable } from '@lakehouse-search/lake';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';
import { table } from '../../terminal/table.ts';

export default class SourceSnapshots extends LhsCommand {
  static override summary =
    'List the snapshots of a table, oldest first, with its branches and tags.';
  static override examples = [
    '<%= config.bin %> source snapshots ops.incidents --warehouse ./lake',
    '<%= config.bin %> source snapshots --path ./lake/ops/incidents --json',
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table (not with --path)' }),
  };
  static override flags = sourceFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceSnapshots);
    const source = await openTable(await tableOf(flags, args.table));
    const refs = source.refs.map((r) => ({
      name: r.name,
      kind: r.kind,
      snapshot: r.snapshotId.toString(),
    }));
    const current = source.currentSnapshotId?.toString() ?? null;
    const snapshots = source.snapshots.map((s) => ({
      snapshot: s.id.toString(),
      parent: s.parentId?.toString() ?? null,
      committed_at: new Date(s.timestampMs).toISOString(),
      operation: s.operation,
      records: s.summary['total-records'] ?? null,
      deletes: deletesOf(s.summary),
    }));
    await source.close();
    if (flags.json) return this.printJson({ table: source.name, current, snapshots, refs });
    if (snapshots.length === 0) return this.print([`${source.name} has no snapshot yet`]);
    const rows = snapshots.map((s) => [
      s.snapshot,
      s.committed_at.replace('T', ' ').slice(0, 19),
      s.operation ?? '-',
      s.records ?? '-',
      s.deletes ?? '-',
      refs
        .filter((r) => r.snapshot === s.snapshot)
        .map((r) => r.name)
        .join(' ') + (s.snapshot === current ? ' ←' : ''),
    ]);
    const titles = [
      { title: 'snapshot', align: 'right' as const },
      { title: 'committed (UTC)' },
      { title: 'operation' },
      { title: 'records', align: 'right' as const },
      { title: 'deletes', align: 'right' as const },
      { title: 'refs' },
    ];
    this.print(table(titles, rows, this.terminal.width, this.style.dim));
  }
}

/**
 * Rows and values that delete files name: what is live is no more than the records without them.
 */
function deletesOf(summary: Readonly<Record<string, string>>): string | null {
  const counts = ['total-position-deletes', 'total-equality-deletes'].map((key) => summary[key]);
  if (counts.every((text) => text === undefined)) return null;
  return String(counts.reduce((sum, text) => sum + BigInt(text ?? '0'), 0n));
}
