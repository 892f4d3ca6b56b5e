import { Args } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { settingArgs, storeSetting } from '../../../config/setting-args.ts';
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
    const key = settingKey(args.key);
    const path = ['profiles', profileName(args.name)];
    const { file, result: notes } = await editUserFile((document) =>
      storeSetting(document, path, key, value),
    );
    if (flags.json) return this.printJson({ profile: args.name, key: args.key, value });
    this.print([`${args.key} of profile ${args.name} stored in ${file}`, ...notes]);
  }
}
