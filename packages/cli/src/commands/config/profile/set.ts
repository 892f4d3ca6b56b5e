import { Args } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { settingArgs } from '../../../config/setting-args.ts';
import { profileName, settingKey } from '../../../config/setting-keys.ts';
import { editUserFile } from '../../../config/settings-file.ts';

export default class ConfigProfileSet extends LhsCommand {
  static override summary = 'Store a setting in a profile, which it makes if there is none.';
  static override examples = [
    '<%= config.bin %> config profile set production url https://search.example',
    '<%= config.bin %> config profile set laptop data_dir ~/search',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the profile', required: true }),
    ...settingArgs,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigProfileSet);
    const { value } = args;
    const path = ['profiles', profileName(args.name), settingKey(args.key)];
    const file = await editUserFile((document) => {
      if (value === '') document.deleteIn(path);
      else document.setIn(path, value);
    });
    if (flags.json) return this.printJson({ profile: args.name, key: args.key, value });
    this.print([`${args.key} of profile ${args.name} stored in ${file}`]);
  }
}
