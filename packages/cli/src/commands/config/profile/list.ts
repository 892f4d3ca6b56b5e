import { LhsCommand } from '../../../base-command.ts';
import { readCredentials } from '../../../config/credentials.ts';
import { profileInForce } from '../../../config/settings.ts';
import { readUserFile } from '../../../config/settings-file.ts';
import { table } from '../../../terminal/table.ts';

export default class ConfigProfileList extends LhsCommand {
  static override summary = 'List the profiles, and whether a token is stored for each.';
  static override examples = [
    '<%= config.bin %> config profile list',
    '<%= config.bin %> config profile list --json',
  ];

  override async run(): Promise<void> {
    const { flags } = await this.parse(ConfigProfileList);
    const user = readUserFile();
    const current = profileInForce(flags.profile, process.env, user)?.name;
    const credentials = readCredentials();
    const profiles = Object.entries(user.profiles).map(([name, values]) => {
      const { kind, user: who, expires_at } = credentials[name] ?? {};
      const token = kind === undefined ? null : { kind, user: who, expires_at };
      return { name, current: name === current, ...values, token };
    });
    if (flags.json) return this.printJson({ profiles });
    if (profiles.length === 0) {
      return this.print(['no profiles', 'next: lhs login --url URL --profile NAME']);
    }
    const rows = profiles.map(({ name, current: isCurrent, url, data_dir, token }) => [
      `${isCurrent ? '*' : ' '} ${name}`,
      url ?? data_dir ?? '-',
      token === null ? '-' : [token.kind, token.user].filter(Boolean).join(' of '),
    ]);
    const columns = [{ title: '  profile' }, { title: 'backend' }, { title: 'token' }];
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
