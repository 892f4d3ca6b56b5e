import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { behindLines } from '../../sync/status-lines.ts';
import { nextSync } from '../../terminal/errors/next-step.ts';
import { verifyReport } from '../../terminal/verify-report.ts';

const DRIFT = 8;

export default class IndexVerify extends LhsCommand {
  static override aliases = ['verify'];
  static override summary =
    'Compare an index with its table, row by row, and with itself; --repair fixes differences.';
  static override examples = [
    '<%= config.bin %> verify demo-incidents',
    '<%= config.bin %> verify demo-incidents --repair',
    '<%= config.bin %> verify demo-incidents --snapshot main --sample 1000 --json',
    '<%= config.bin %> verify demo-incidents --deep --sample 1000',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    snapshot: Flags.string({
      description: 'snapshot, branch or tag to compare with (the index’s own)',
      helpValue: 'SNAPSHOT',
    }),
    sample: Flags.integer({
      description: 'compare about this many documents at even distances instead of all',
      min: 1,
      helpValue: 'N',
    }),
    repair: Flags.boolean({ description: 'rewrite the documents that differ, and verify again' }),
    deep: Flags.boolean({
      description: 'also index the rows again and compare terms, positions, values and vectors',
    }),
    generation: Flags.integer({
      description: 'a kept generation instead of the live one',
      min: 1,
      helpValue: 'N',
    }),
    ...detachFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexVerify);
    const { snapshot, sample, repair, deep, generation } = flags;
    const request = { index: args.index, snapshot, sample, repair, deep, generation };
    const found = await this.jobResult(flags, {
      request: { kind: 'verify', ...request },
      stopped: repair ? 'the index is as it was, or repaired' : 'nothing was changed',
      call: (backend, call) => backend.verify(request, call),
    });
    if (found === null) return;
    if (!found.equal) process.exitCode = DRIFT;
    if (flags.json) return this.printJson(found);
    const { terminal, style } = this;
    const scene = {
      index: args.index,
      sync:
        snapshot === undefined || found.equal
          ? undefined
          : nextSync(await (await this.backend(flags)).describeIndex({ index: args.index })),
      width: terminal.width,
      style,
    };
    this.print(verifyReport(found, scene));
    if (!found.equal || snapshot !== undefined || generation !== undefined) return;
    const backend = await this.backend(flags);
    this.print(behindLines(await backend.status({ index: args.index })));
  }
}
