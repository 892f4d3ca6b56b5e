import { openTable, type RowChange } from '@lakehouse-search/lake';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { stdoutSink } from '../../output/columns.ts';
import { ndjsonWriter } from '../../output/text-rows.ts';
import { rowJson } from '../../source/row-json.ts';
import { snapshotId } from '../../source/snapshot-id.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';

export default class SourceChanges extends LhsCommand {
  static override summary =
    'Print the net row changes between two snapshots by key, one JSON object per line.';
  static override examples = [
    '<%= config.bin %> source changes ops.incidents --warehouse ./lake --from ' +
      '5029384756100371 --to 5103000000007718',
    '<%= config.bin %> source changes --path ./lake/ops/incidents --from ' +
      '5029384756100371 --to 5103000000007718',
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table (not with --path)' }),
  };
  static override flags = {
    ...sourceFlags,
    from: Flags.string({ description: 'snapshot before', helpValue: 'ID', required: true }),
    to: Flags.string({ description: 'snapshot after', helpValue: 'ID', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceChanges);
    const source = await openTable(await tableOf(flags, args.table));
    const { fields, identifierFieldIds } = source.schema;
    const key = fields.filter((f) => identifierFieldIds.includes(f.id)).map((f) => f.name);
    const columns = fields.filter((f) => !key.includes(f.name)).map((f) => f.name);
    const range = { from: snapshotId(flags.from), to: snapshotId(flags.to) };
    const out = ndjsonWriter(stdoutSink);
    const json = (row: RowChange['key']) => rowJson(row, fields);
    for await (const change of source.rowChanges({ ...range, key, columns })) {
      const before = change.op === 'insert' ? {} : { before: json(change.before) };
      const after = change.op === 'delete' ? {} : { after: json(change.after) };
      await out.write({ op: change.op, key: json(change.key), ...before, ...after });
    }
    await out.end();
    await source.close();
  }
}
