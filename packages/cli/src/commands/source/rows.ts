import { LhsError } from '@lakehouse-search/contract';
import {
  type Field,
  openTable,
  type Schema,
  type SourceTable,
  typeName,
} from '@lakehouse-search/lake';
import { readableFields } from '@lakehouse-search/lake/internal';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { rowOutputFlags } from '../../output/output-target.ts';
import { list } from '../../search/flag-values.ts';
import { batchRows, columnKind } from '../../source/row-json.ts';
import { snapshotId } from '../../source/snapshot-id.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';

export default class SourceRows extends LhsCommand {
  static override summary = 'Print the rows of a snapshot, after all deletes.';
  static override examples = [
    '<%= config.bin %> source rows ops.incidents --warehouse ./lake --limit 5',
    "<%= config.bin %> source rows ops.incidents --warehouse ./lake --where 'severity = " +
      "1' --columns id,title --format csv",
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table (not with --path)' }),
  };
  static override flags = {
    ...sourceFlags,
    snapshot: Flags.string({
      description: 'snapshot id (the current one)',
      helpValue: 'ID',
      exclusive: ['ref'],
    }),
    ref: Flags.string({ description: 'branch or tag', helpValue: 'NAME' }),
    columns: Flags.string({
      aliases: ['fields', 'field'],
      description: 'columns (all)',
      helpValue: 'A,B',
    }),
    where: Flags.string({ description: 'condition in SQL over the columns', helpValue: 'SQL' }),
    limit: Flags.integer({
      char: 'n',
      description: 'maximum number of rows',
      helpValue: 'N',
      min: 0,
    }),
    ...rowOutputFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceRows);
    const source = await openTable(await tableOf(flags, args.table));
    const { id, schema } = target(source, flags.snapshot, flags.ref);
    const fields = chosen(schema, list(flags.columns));
    const columns = fields.map((f) => ({ name: f.name, kind: columnKind(f.type) }));
    const limit = flags.limit ?? Number.POSITIVE_INFINITY;
    await this.rows(flags, columns, async (write) => {
      if (limit === 0) return;
      let written = 0;
      const names = fields.map((f) => f.name);
      const { where } = flags;
      for await (const batch of source.scan({ snapshotId: id, schema, columns: names, where })) {
        for (const row of batchRows(batch, fields)) {
          await write(row);
          if (++written >= limit) return;
        }
      }
    });
    await source.close();
  }
}

/** Rows of a snapshot have that snapshot's schema, of a ref the current one. */
function target(source: SourceTable, snapshot: string | undefined, ref: string | undefined) {
  if (snapshot !== undefined) {
    const id = snapshotId(snapshot);
    return { id: source.snapshot(id).id, schema: source.schemaOf(id) };
  }
  if (ref === undefined)
    return { id: source.currentSnapshotId ?? undefined, schema: source.schema };
  const found = source.refs.find((r) => r.name === ref);
  if (found !== undefined) return { id: found.snapshotId, schema: source.schema };
  const names = source.refs.map((r) => r.name).join(', ');
  throw new LhsError('not_found', `no branch or tag "${ref}" in ${source.name}`, {
    hint: `branches and tags: ${names || 'none'}`,
  });
}

/** All columns that can be read; a warning names the others. */
function readable(schema: Schema): readonly Field[] {
  const fields = readableFields(schema);
  const others = schema.fields.filter((field) => !fields.includes(field));
  for (const { name, type } of others) {
    const what = `column "${name}" has the type ${typeName(type)}, which is not supported`;
    process.emitWarning(`${what}; it is left out`, 'LhsWarning');
  }
  return fields;
}

function chosen(schema: Schema, names: readonly string[] | undefined): readonly Field[] {
  if (names === undefined) return readable(schema);
  return names.map((name) => {
    const field = schema.fields.find((f) => f.name === name);
    if (field !== undefined) return field;
    const all = schema.fields.map((f) => f.name).join(', ');
    throw new LhsError('not_found', `no column "${name}"`, { hint: `columns: ${all}` });
  });
}
