import { LhsCommand } from '../base-command.ts';

export default class Version extends LhsCommand {
  static override summary = 'Print the version.';
  static override examples = ['<%= config.bin %> version', '<%= config.bin %> version --json'];

  override async run(): Promise<void> {
    const { flags } = await this.parse(Version);
    const { version } = this.config;
    if (flags.json) return this.printJson({ version, node: process.version });
    this.print([`lhs ${version}`]);
  }
}
