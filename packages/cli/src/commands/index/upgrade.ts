import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { bytes, duration, plural } from '../../terminal/figures.ts';

export default class IndexUpgrade extends LhsCommand {
  static override summary =
    'Rewrite the segments of an index that have an older disk format, without reading the table.';
  static override examples = [
    '<%= config.bin %> index upgrade demo-incidents --plan',
    '<%= config.bin %> index upgrade demo-incidents',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    ...detachFlag,
    plan: Flags.boolean({
      exclusive: ['detach'],
      description: 'print what would be rewritten, and change nothing',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexUpgrade);
    const request = { index: args.index, plan: flags.plan };
    const done = flags.plan
      ? await (await this.backend(flags)).upgrade(request)
      : await this.jobResult(flags, {
          request: { kind: 'upgrade', ...request },
          stopped: 'segments that are upgraded stay so',
          call: (backend, call) => backend.upgrade(request, call),
        });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const { format_before: from, format_after: to, segments_upgraded: count } = done;
    const what = `${args.index}  format ${from} → ${to}`;
    const rewritten = `${count} of ${plural(done.segments, 'segment')}`;
    if (from === to) {
      this.print([`${args.index}  format ${to}: nothing to do`]);
    } else if (done.bytes_after === undefined) {
      this.print([`${what} · would rewrite ${rewritten}, ${bytes(done.bytes_rewritten)}`]);
    } else {
      const sizes = `${bytes(done.bytes_before)} → ${bytes(done.bytes_after)}`;
      this.print([`${what} · ${rewritten} in ${duration(done.took_ms)} · ${sizes}`]);
    }
  }
}
