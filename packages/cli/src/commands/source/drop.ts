import { LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { sourceError } from '@lakehouse-search/engine/internal';
import { dropTable, openTable, type TableConfig } from '@lakehouse-search/lake';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { catalogInForce, sourceFlags } from '../../source/source-flags.ts';
import { upkeepArgs } from '../../source/upkeep-flags.ts';
import { confirm } from '../../terminal/ask/confirm.ts';

export default class SourceDrop extends LhsCommand {
  static override summary =
    'Drop a table that no index reads: a warehouse deletes its files, other catalogs keep them.';
  static override examples = [
    '<%= config.bin %> source drop ops.incidents --warehouse ./lake',
    '<%= config.bin %> source drop ops.incidents --warehouse ./lake --yes',
  ];
  static override args = upkeepArgs;
  static override flags = {
    warehouse: sourceFlags.warehouse,
    catalog: sourceFlags.catalog,
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceDrop);
    const { table } = args;
    const config = { catalog: await catalogInForce(flags, 'the catalog of the table'), table };
    await refuseRead(await this.backend(flags), config, table);
    if (!(await confirm(this.terminal, `Drop the table ${table}?`, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was dropped');
    }
    const { location, deleted } = await dropTable(config);
    if (flags.json) return this.printJson({ dropped: table, location, deleted });
    this.print([
      `${table} dropped; its files in ${location} ${deleted ? 'are deleted' : 'remain'}`,
    ]);
  }
}

/**
 * Throws index_busy if an index reads the table: it is at one of its snapshots, or not built and
 * defined over a table of this name.
 */
async function refuseRead(backend: BackendApi, config: TableConfig, name: string): Promise<void> {
  const snapshots = await snapshotsOf(config);
  for (const { name: index } of await backend.listIndexes()) {
    const { snapshot, source } = await backend.describeIndex({ index });
    const isRead = snapshot === null ? source?.table === name : snapshots.has(snapshot);
    if (!isRead) continue;
    throw new LhsError('index_busy', `index "${index}" reads the table ${name}`, {
      hint: `drop the index first: lhs index drop ${index}`,
    });
  }
}

async function snapshotsOf(config: TableConfig): Promise<ReadonlySet<string>> {
  try {
    const table = await openTable(config);
    await table.close();
    return new Set(table.snapshots.map(({ id }) => String(id)));
  } catch (error) {
    throw sourceError(error);
  }
}
