import { LhsCommand } from '../base-command.ts';
import { readCredentials, storeCredential } from '../config/credentials.ts';
import { profileInForce } from '../config/settings.ts';
import { readUserFile } from '../config/settings-file.ts';

export default class Logout extends LhsCommand {
  static override summary = 'Remove the stored token of a profile from this machine.';
  static override description =
    'The service still accepts the token until it expires or is revoked ' +
    '(DELETE /v1/tokens/{id}).';
  static override examples = [
    '<%= config.bin %> logout',
    '<%= config.bin %> logout --profile production',
  ];

  override async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const name = profileInForce(flags.profile, process.env, readUserFile())?.name ?? 'default';
    const isStored = Object.hasOwn(readCredentials(), name);
    if (isStored) await storeCredential(name, undefined);
    if (flags.json) return this.printJson({ profile: name, removed: isStored });
    const what = isStored ? 'the token is removed' : 'no token was stored';
    this.print([`profile ${name}: ${what}`]);
  }
}
