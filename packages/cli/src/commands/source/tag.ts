import { LhsError } from '@lakehouse-search/contract';
import { dropTableRef, setTableRef } from '@lakehouse-search/lake';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';
import { ageMillis, upkeepArgs } from '../../source/upkeep-flags.ts';
import { snapshotName } from '../../terminal/figures.ts';

export default class SourceTag extends LhsCommand {
  static override summary = 'Name a snapshot of a table by a tag or branch, or remove the name.';
  static override examples = [
    '<%= config.bin %> source tag ops.incidents audit-2026 --warehouse ./lake --max-age 52w',
    '<%= config.bin %> source tag ops.incidents work --branch --warehouse ./lake',
    '<%= config.bin %> source tag ops.incidents audit-2026 --drop --warehouse ./lake',
  ];
  static override args = {
    ...upkeepArgs,
    name: Args.string({ ignoreStdin: true, description: 'name of the tag', required: true }),
  };
  static override flags = {
    warehouse: sourceFlags.warehouse,
    catalog: sourceFlags.catalog,
    snapshot: Flags.string({ description: 'snapshot to name (the current one)', helpValue: 'ID' }),
    branch: Flags.boolean({ description: 'make a branch' }),
    replace: Flags.boolean({ description: 'move the name if it exists' }),
    'max-age': Flags.string({
      description: 'expiry removes the name when its snapshot is older',
      helpValue: '52w',
    }),
    'keep-snapshots': Flags.integer({
      description: 'snapshots of the branch that expiry keeps',
      helpValue: 'N',
      min: 1,
      dependsOn: ['branch'],
    }),
    'keep-age': Flags.string({
      description: 'expiry keeps younger snapshots of the branch',
      helpValue: '7d',
      dependsOn: ['branch'],
    }),
    drop: Flags.boolean({
      description: 'remove the tag or branch; its snapshot stays until it expires',
      exclusive: ['snapshot', 'branch', 'replace', 'max-age'],
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceTag);
    const { table, name } = args;
    const config = await tableOf(flags, table);
    if (flags.drop) {
      await dropTableRef(config, name);
      return flags.json ? this.printJson({ dropped: name }) : this.print([`${name} removed`]);
    }
    const { 'max-age': maxAge, 'keep-age': keepAge, 'keep-snapshots': minSnapshots } = flags;
    const retention = {
      ...(maxAge && { maxRefAgeMs: ageMillis('max-age', maxAge) }),
      ...(keepAge && { maxSnapshotAgeMs: ageMillis('keep-age', keepAge) }),
      ...(minSnapshots && { minSnapshots }),
    };
    const kind = flags.branch ? 'branch' : 'tag';
    const snapshot = snapshotOf(flags.snapshot);
    const replace = flags.replace ?? false;
    const change = { kind, retention, replace, ...(snapshot && { snapshot }) } as const;
    const at = await setTableRef(config, name, change);
    if (flags.json) return this.printJson({ name, kind, snapshot: at });
    this.print([`${kind} ${name} of ${table} is at snapshot ${snapshotName(at)}`]);
  }
}

function snapshotOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,19}$/.test(text)) return text;
  throw new LhsError('invalid_argument', `"${text}" is not the id of a snapshot`, {
    hint: 'lhs source snapshots lists them',
  });
}
