import { Args } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { profileValues } from '../../../config/settings.ts';
import { editUserFile, readUserFile } from '../../../config/settings-file.ts';

export default class ConfigProfileUse extends LhsCommand {
  static override summary = 'Select the profile for later commands, or none.';
  static override examples = [
    '<%= config.bin %> config profile use production',
    '<%= config.bin %> config profile use ""',
  ];
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      description: 'name of the profile; an empty one selects none',
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigProfileUse);
    if (args.name !== '') profileValues(args.name, readUserFile());
    const { file } = await editUserFile((document) => {
      if (args.name === '') document.delete('profile');
      else document.set('profile', args.name);
    });
    if (flags.json) return this.printJson({ profile: args.name === '' ? null : args.name });
    this.print([args.name === '' ? `no profile is selected in ${file}` : `using ${args.name}`]);
  }
}
