import { Args } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { storeCredential } from '../../../config/credentials.ts';
import { profileValues } from '../../../config/settings.ts';
import { editUserFile, readUserFile } from '../../../config/settings-file.ts';

export default class ConfigProfileRemove extends LhsCommand {
  static override summary = 'Remove a profile and its token from this machine.';
  static override examples = [
    '<%= config.bin %> config profile remove staging',
    '<%= config.bin %> config profile remove staging --json',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the profile', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigProfileRemove);
    const { name } = args;
    const user = readUserFile();
    profileValues(name, user);
    await storeCredential(name, undefined);
    await editUserFile((document) => {
      document.deleteIn(['profiles', name]);
      if (user.profile === name) document.delete('profile');
    });
    if (flags.json) return this.printJson({ removed: name });
    this.print([`profile ${name} removed, and its token`]);
  }
}
