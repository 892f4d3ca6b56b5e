import { LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { credentialsFile, storeCredential } from '../config/credentials.ts';
import { profileName } from '../config/setting-keys.ts';
import { profileInForce } from '../config/settings.ts';
import { editUserFile, readUserFile } from '../config/settings-file.ts';
import { obtainToken } from '../login/obtain-token.ts';

/** The profile of a login that names none. */
const DEFAULT_PROFILE = 'default';

export default class Login extends LhsCommand {
  static override summary = 'Log in to a service and store its token for later commands.';
  static override description =
    'Reads the password, or an API token with --token, from the terminal without echo, or the ' +
    'first line of standard input. The URL and the token become those of a profile.';
  static override examples = [
    '<%= config.bin %> login --url https://search.example --user ann',
    'pass show lhs/token | <%= config.bin %> login --url https://search.example --token',
    '<%= config.bin %> login --profile production',
  ];
  static override flags = {
    user: Flags.string({ description: 'name of the user (asked for)', helpValue: 'NAME' }),
    token: Flags.boolean({
      description: 'store an API token instead of logging in with a password',
      exclusive: ['user'],
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const file = readUserFile();
    const current = profileInForce(flags.profile, process.env, file);
    const profile = profileName(current?.name ?? DEFAULT_PROFILE);
    const own = Object.hasOwn(file.profiles, profile) ? file.profiles[profile].url : undefined;
    const url = flags.url ?? own ?? process.env.LHS_URL ?? file.values.url;
    if (!url) {
      throw new LhsError('invalid_argument', 'no service is named', {
        hint: 'add --url URL, for example --url https://search.example',
      });
    }
    const credential = await obtainToken(url, { ...flags, terminal: this.terminal });
    await storeCredential(profile, credential);
    await editUserFile((document) => {
      document.setIn(['profiles', profile, 'url'], url);
      if (current === undefined) document.set('profile', profile);
    });
    const { kind, user, expires_at } = credential;
    if (flags.json) return this.printJson({ profile, url, kind, user, expires_at });
    const who = user === undefined ? 'an API token is stored' : `logged in as ${user}`;
    const until = expires_at === undefined ? '' : ` until ${expires_at}`;
    this.print([`${who}${until}`, `profile ${profile}: ${url}`, `token in ${credentialsFile()}`]);
  }
}
