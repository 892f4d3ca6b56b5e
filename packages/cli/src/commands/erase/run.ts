import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { eraseArgs, eraseFlags, eraseRequest } from '../../erase/erase-flags.ts';
import { actionLines, eraseExit, reportLines } from '../../erase/erase-lines.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { duration, plural } from '../../terminal/figures.ts';
import { jsonText } from '../../terminal/json-text.ts';

export default class EraseRun extends LhsCommand {
  static override summary =
    'Remove all data of rows that were deleted from the table, and write a signed receipt.';
  static override examples = [
    '<%= config.bin %> erase run demo-incidents --key id=4217 --receipt receipt.json',
    '<%= config.bin %> erase run incidents --keys keys.txt --backup ./backups --yes --json',
    '<%= config.bin %> erase run demo-incidents --key id=4217 --yes --detach',
  ];
  static override args = eraseArgs;
  static override flags = {
    ...eraseFlags,
    'close-pits': Flags.boolean({ description: 'close points in time that need the data' }),
    'replace-backups': Flags.boolean({
      description: 'make a new backup in each place, then delete the backups that hold the data',
    }),
    receipt: Flags.string({
      description: 'write the receipt to this file',
      helpValue: 'FILE',
      exclusive: ['detach'],
    }),
    ...detachFlag,
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EraseRun);
    const { index } = args;
    const backend = await this.backend(flags);
    const { key } = await backend.describeIndex({ index });
    const request = await eraseRequest(index, flags, key);
    const asked = `Remove all data of ${plural(request.keys.length, 'row')} from "${index}"?`;
    if (!(await confirm(this.terminal, asked, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was removed');
    }
    const whole = {
      ...request,
      close_pits: flags['close-pits'],
      replace_backups: flags['replace-backups'],
    };
    const done = await this.jobResult(flags, {
      request: { kind: 'erase', ...whole },
      stopped: 'run it again to go on',
      call: (own, call) => own.runErasure(whole, call),
    });
    if (done === null) return;
    process.exitCode = eraseExit(done.report);
    if (flags.receipt !== undefined) {
      writeFileSync(resolve(flags.receipt), `${jsonText(done.receipt, 2)}\n`, { mode: 0o600 });
    }
    if (flags.json) return this.printJson(done);
    this.print([
      ...actionLines(done.actions),
      ...reportLines(done.report, request.keys, this.terminal.width),
      `${duration(done.took_ms)} · signed receipt ` +
        (flags.receipt === undefined ? 'not written (--receipt FILE)' : `in ${flags.receipt}`),
    ]);
  }
}
