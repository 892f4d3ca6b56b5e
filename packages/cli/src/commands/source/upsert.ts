import { existsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import { upsertRows } from '@lakehouse-search/lake';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { list } from '../../search/flag-values.ts';
import { adviceOf } from '../../source/import-advice.ts';
import { inputOf } from '../../source/import-input.ts';
import { existingTableFlags, readingOptions } from '../../source/reading-flags.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { count, plural, snapshotName } from '../../terminal/figures.ts';
import { progressReport } from '../../terminal/progress.ts';

/** Throws invalid_argument if the file is named before the table. */
function refuseTurned(
  { table, file }: { readonly table: string; readonly file: string },
  typed: readonly string[],
): void {
  if (!existsSync(table) || existsSync(file) || file === '-') return;
  const other: Readonly<Record<string, string>> = { [table]: file, [file]: table };
  const words = typed.map((word) => shellWord(other[word] ?? word));
  throw new LhsError('invalid_argument', `"${table}" is a file; the table comes first`, {
    hint: ['lhs source upsert', ...words].join(' '),
  });
}

export default class SourceUpsert extends LhsCommand {
  static override summary = 'Insert or replace rows of a table by key, in one snapshot.';
  static override examples = [
    '<%= config.bin %> source upsert ops.incidents changed.ndjson --warehouse ./lake',
    '<%= config.bin %> source upsert my.events changed.parquet --warehouse ./lake --key id --json',
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table', required: true }),
    file: Args.string({
      ignoreStdin: true,
      description: 'Parquet, CSV or NDJSON file; - reads standard input',
      required: true,
    }),
  };
  static override flags = {
    warehouse: sourceFlags.warehouse,
    catalog: sourceFlags.catalog,
    key: Flags.string({ description: 'key columns (the identifier fields)', helpValue: 'A,B' }),
    ...existingTableFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceUpsert);
    refuseTurned(args, this.argv);
    const config = await tableOf(flags, args.table);
    const report = progressReport(this.terminal, args.table, flags.json ?? false, 'table');
    const input = inputOf([args.file], readingOptions(flags));
    const key = list(flags.key);
    const done = await this.stoppable('the table is as it was', (signal) => {
      const watch = { onProgress: report.update, signal };
      return upsertRows(config, input, key, watch)
        .catch((error: unknown) => Promise.reject(adviceOf(error)))
        .finally(report.stop);
    });
    const { inserted, updated } = done;
    if (flags.json) return this.printJson({ snapshot: done.snapshot, inserted, updated });
    if (done.snapshot === null) return this.print(['the file has no rows; nothing was committed']);
    this.print([
      `${args.table}  +${count(inserted)} ~${plural(updated, 'row')} · snapshot ` +
        `${snapshotName(done.snapshot)}`,
    ]);
  }
}
