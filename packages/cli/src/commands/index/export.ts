import type { ExportedDocument, FieldDescription } from '@lakehouse-search/engine';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import type { ColumnKind, OutputColumn, OutputRow } from '../../output/columns.ts';
import { type RowFormat, rowWriter } from '../../output/row-writer.ts';

const KINDS: Readonly<Record<string, ColumnKind>> = {
  LONG: 'long',
  DOUBLE: 'double',
  BOOL: 'bool',
  DATE: 'timestamp',
};

export default class IndexExport extends LhsCommand {
  static override summary =
    'Print every live document: its key and all cached and fast fields, by key.';
  static override examples = [
    '<%= config.bin %> index export incidents --format ndjson',
    `<%= config.bin %> index export incidents --format parquet --query 'service:billing' > billing.parquet`,
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };
  static override flags = {
    format: Flags.string({ options: ['ndjson', 'arrow', 'parquet'], default: 'ndjson' }),
    query: Flags.string({ description: 'only what this query finds', helpValue: 'Q' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexExport);
    const backend = await this.backend(flags);
    const format = flags.format as RowFormat;
    const index = await backend.describeIndex({ index: args.index });
    const names = [...index.key.partition, ...index.key.identifier];
    const out = await rowWriter(format, exportColumns(names, index.fields));
    const documents = backend.exportDocuments({ index: args.index, query: flags.query });
    for await (const document of documents) {
      await out.write(format === 'ndjson' ? { ...document } : flat(document));
    }
    await out.end();
  }
}

/**
 * Key columns as `key.<name>`, then the fields; a field with several values in a document travels
 * as JSON.
 */
function exportColumns(
  keys: readonly string[],
  fields: readonly FieldDescription[],
): OutputColumn[] {
  const shown = fields.filter((f) => f.cached || f.fast);
  return [
    ...keys.map((name) => ({ name: `key.${name}`, kind: 'text' as const })),
    ...shown.map((f) => ({
      name: f.name,
      kind: f.multi_valued ? ('json' as const) : (KINDS[f.type] ?? 'text'),
    })),
  ];
}

function flat(document: ExportedDocument): OutputRow {
  const parts = [...(document.coordinates.partition ?? []), ...document.coordinates.identifier];
  const key = Object.fromEntries(parts.map((p) => [`key.${p.name}`, p.value]));
  return { ...key, ...document.fields };
}
