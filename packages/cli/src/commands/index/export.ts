import type { ExportedDocument } from '@lakehouse-search/contract';
import { formatKey } from '@lakehouse-search/engine';
import { idOf } from '@lakehouse-search/engine/internal';
import { LhsCommand } from '../../base-command.ts';
import type { OutputRow } from '../../output/columns.ts';
import { rowOutputFlags } from '../../output/output-target.ts';
import { fieldColumns, keyCells, keyColumns } from '../../search/lines/field-columns.ts';
import { onlyQuery, queryFlag } from '../../search/query-flag.ts';
import { matchArgs } from '../../search/search-flags.ts';

export default class IndexExport extends LhsCommand {
  static override summary = 'Print every live document by key, with its cached and fast fields.';
  static override examples = [
    '<%= config.bin %> index export demo-incidents --format ndjson',
    '<%= config.bin %> index export demo-incidents service:billing -o billing.parquet',
  ];
  static override args = matchArgs;
  static override flags = {
    ...rowOutputFlags,
    query: queryFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexExport);
    const query = onlyQuery(args, flags);
    const backend = await this.backend(flags);
    const index = await backend.describeIndex({ index: args.index });
    const shown = fieldColumns(index.fields.filter((field) => field.cached || field.fast));
    const documents = backend.exportDocuments({ index: args.index, query });
    await this.rows(flags, [...keyColumns(index), ...shown], async (write, format) => {
      for await (const document of documents) {
        await write(format === 'ndjson' ? record(document) : flat(document));
      }
    });
  }
}

/** With the members of the key that hits have. */
function record({ coordinates, fields }: ExportedDocument): OutputRow {
  return { coordinates, key: formatKey(coordinates), ...idOf(coordinates), fields };
}

function flat(document: ExportedDocument): OutputRow {
  return { ...keyCells(document.coordinates), ...document.fields };
}
