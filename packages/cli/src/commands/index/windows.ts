import { LhsError, type MoveWindowsRequest } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import type { JobFlags } from '../../sync/run-job.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { movedLines, windowLines } from '../../sync/window-lines.ts';

export default class IndexWindows extends LhsCommand {
  static override summary =
    'List the windows of an index, and move them between the local disk and an object store.';
  static override examples = [
    '<%= config.bin %> index windows incidents',
    '<%= config.bin %> index windows incidents --cool 2025-01 --cool 2025-02',
    '<%= config.bin %> index windows incidents --warm 2025-01',
    '<%= config.bin %> index windows incidents --apply',
    '<%= config.bin %> index windows incidents --apply --detach',
  ];
  static override args = {
    index: indexArg,
  };

  static override flags = {
    ...detachFlag,
    cool: Flags.string({
      description: 'move the files of a window to the storage of the definition',
      helpValue: 'WINDOW',
      multiple: true,
    }),
    warm: Flags.string({
      description: 'move the files of a window back',
      helpValue: 'WINDOW',
      multiple: true,
    }),
    apply: Flags.boolean({
      description: 'put every window into the tier that the definition says (windows.hot)',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexWindows);
    const { cool, warm, apply } = flags;
    const moves = { index: args.index, cool, warm, apply };
    if (cool || warm || apply) return this.#move(moves, flags);
    if (flags.detach) {
      throw new LhsError('invalid_argument', '--detach without --cool, --warm or --apply');
    }
    const status = await (await this.backend(flags)).windowStatus({ index: args.index });
    if (flags.json) return this.printJson(status);
    this.print(windowLines(status, this.style, this.terminal.width));
  }

  async #move(request: MoveWindowsRequest, flags: JobFlags): Promise<void> {
    const done = await this.jobResult(flags, {
      request: { kind: 'move_windows', ...request },
      stopped: 'windows that were moved stay so',
      call: (backend, call) => backend.moveWindows(request, call),
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    this.print(movedLines(done));
  }
}
