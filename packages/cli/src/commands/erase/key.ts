import { LhsCommand } from '../../base-command.ts';

export default class EraseKey extends LhsCommand {
  static override summary = 'Print the public key that verifies the receipts of this data folder.';
  static override examples = [
    '<%= config.bin %> erase key > receipts.pem',
    '<%= config.bin %> erase key --json',
  ];

  override async run(): Promise<void> {
    const { flags } = await this.parse(EraseKey);
    const key = await (await this.backend(flags)).erasureKey();
    if (flags.json) return this.printJson(key);
    this.print(key.public_key.trimEnd().split('\n'));
    this.terminal.err(`key ${key.key_id}`);
  }
}
