import { memoryBytes } from '@lakehouse-search/contract/internal';
import { type CompactResult, compactTable } from '@lakehouse-search/lake';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';
import { planFlags, upkeepArgs } from '../../source/upkeep-flags.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { bytes, count, plural, snapshotName } from '../../terminal/figures.ts';

export default class SourceCompact extends LhsCommand {
  static override summary = 'Rewrite small data files of a table, with their deletes applied.';
  static override examples = [
    '<%= config.bin %> source compact ops.incidents --warehouse ./lake --dry-run',
    '<%= config.bin %> source compact ops.incidents --warehouse ./lake --target 256MiB --yes',
  ];
  static override args = upkeepArgs;
  static override flags = {
    warehouse: sourceFlags.warehouse,
    catalog: sourceFlags.catalog,
    target: Flags.string({ description: 'size of new files (128MiB)', helpValue: 'SIZE' }),
    all: Flags.boolean({ description: 'rewrite every data file' }),
    ...planFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceCompact);
    const config = await tableOf(flags, args.table);
    const targetBytes = flags.target === undefined ? undefined : memoryBytes(flags.target);
    const rule = { all: flags.all ?? false, ...(targetBytes && { targetBytes }) };
    const plan = await compactTable(config, { ...rule, dryRun: true });
    if (flags['dry-run'] || plan.rewritten === 0) return this.#show(args.table, plan, flags);
    const what = `Rewrite ${planOf(plan)} of ${args.table}?`;
    if (!(await confirm(this.terminal, what, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was rewritten');
    }
    const done = await this.stoppable('the table is as it was', (signal) =>
      compactTable(config, { ...rule, signal }),
    );
    this.#show(args.table, done, flags);
  }

  #show(table: string, result: CompactResult, { json }: { readonly json?: boolean }): void {
    if (json) this.printJson(wireOf(result));
    else this.print(linesOf(table, result));
  }
}

const wireOf = ({ snapshot, filesBefore, filesAfter, rewritten, ...rest }: CompactResult) => ({
  snapshot,
  files_before: filesBefore,
  files_after: filesAfter,
  rewritten,
  ...rest,
});

function linesOf(table: string, result: CompactResult): readonly string[] {
  const { snapshot, filesBefore, filesAfter, rewritten, rows } = result;
  if (rewritten === 0) return [`${table} has no files to compact`];
  if (snapshot === null) return [`${table}: would rewrite ${planOf(result)}`];
  const files = `${plural(filesBefore, 'file')} → ${count(filesAfter)}`;
  const at = `snapshot ${snapshotName(snapshot)}`;
  return [
    `${table}  ${files} · ${plural(rows, 'row')} rewritten · ${at}`,
    `next: lhs source expire ${shellWord(table)} deletes the old files`,
  ];
}

const planOf = ({ rewritten, bytes: size, filesBefore, filesAfter }: CompactResult): string =>
  `${plural(rewritten, 'data file')} of ${bytes(size)} ` +
  `(${plural(filesBefore, 'file')} → about ${filesAfter})`;
