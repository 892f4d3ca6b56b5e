import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { userConfigFile } from '../../config/settings-file.ts';
import { table } from '../../terminal/table.ts';

export default class ConfigView extends LhsCommand {
  static override summary = 'Show the settings and where each comes from.';
  static override examples = [
    '<%= config.bin %> config view --show-origin',
    '<%= config.bin %> config set data_dir ~/search',
  ];
  static override flags = {
    'show-origin': Flags.boolean({ description: 'show the origin of each value' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ConfigView);
    const settings = this.settings(flags);
    if (flags.json) return this.printJson({ file: userConfigFile(), settings });
    const rows = settings.map((s) => [
      s.key,
      s.value ?? '-',
      s.where === undefined ? s.origin : `${s.origin} (${s.where})`,
    ]);
    const columns = [{ title: 'setting' }, { title: 'value' }, { title: 'from' }];
    const shown = flags['show-origin'] ? rows : rows.map((r) => r.slice(0, 2));
    const titles = columns.slice(0, flags['show-origin'] ? 3 : 2);
    this.print(table(titles, shown, this.terminal.width, this.style.dim));
  }
}
