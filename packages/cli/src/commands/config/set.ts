import { LhsCommand } from '../../base-command.ts';
import { settingArgs, storeSetting } from '../../config/setting-args.ts';
import { settingKey } from '../../config/setting-keys.ts';
import { editUserFile } from '../../config/settings-file.ts';

export default class ConfigSet extends LhsCommand {
  static override summary = 'Store a setting in the user’s configuration file.';
  static override examples = [
    '<%= config.bin %> config set data_dir ~/search',
    '<%= config.bin %> config set warehouse ./lake',
    '<%= config.bin %> config set data_dir ""',
  ];
  static override args = settingArgs;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigSet);
    const key = settingKey(args.key);
    const { file, result: notes } = await editUserFile((document) =>
      storeSetting(document, [], key, args.value),
    );
    if (flags.json) return this.printJson({ key: args.key, value: args.value });
    this.print([`${args.key} stored in ${file}`, ...notes]);
  }
}
