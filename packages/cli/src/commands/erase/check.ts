import { LhsCommand } from '../../base-command.ts';
import { eraseArgs, eraseFlags, eraseRequest } from '../../erase/erase-flags.ts';
import { eraseExit, reportLines } from '../../erase/erase-lines.ts';

export default class EraseCheck extends LhsCommand {
  static override summary =
    'List where data of deleted rows remains and when it goes (exit 1: remains, 5: still in the ' +
    'table).';
  static override examples = [
    '<%= config.bin %> erase check demo-incidents --key id=4217',
    '<%= config.bin %> erase check demo-incidents --keys keys.txt --backup ./backups --deep',
    '<%= config.bin %> erase check demo-incidents --key id=4217 --texts former-texts.txt --json',
  ];
  static override args = eraseArgs;
  static override flags = eraseFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EraseCheck);
    const backend = await this.backend(flags);
    const { key } = await backend.describeIndex({ index: args.index });
    const request = await eraseRequest(args.index, flags, key);
    const report = await this.stoppable('nothing was changed', (signal) =>
      backend.checkErasure(request, { signal }),
    );
    process.exitCode = eraseExit(report);
    if (flags.json) return this.printJson(report);
    this.print(reportLines(report, request.keys, this.terminal.width));
  }
}
