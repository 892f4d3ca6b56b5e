import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { settingKey } from '../../config/setting-keys.ts';
import { editUserFile } from '../../config/settings-file.ts';

export default class ConfigSet extends LhsCommand {
  static override summary = 'Store a setting in the user’s configuration file.';
  static override examples = [
    '<%= config.bin %> config set data_dir ~/search',
    '<%= config.bin %> config set data_dir ""',
  ];
  static override args = {
    key: Args.string({
      ignoreStdin: true,
      description: 'data_dir, backup_target or url',
      required: true,
    }),
    value: Args.string({
      ignoreStdin: true,
      description: 'value; an empty one removes the setting',
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigSet);
    const key = settingKey(args.key);
    const file = await editUserFile((document) => {
      if (args.value === '') document.delete(key);
      else document.set(key, args.value);
    });
    if (flags.json) return this.printJson({ key: args.key, value: args.value });
    this.print([`${args.key} stored in ${file}`]);
  }
}
