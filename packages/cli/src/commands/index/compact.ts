import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { bytes, duration, plural } from '../../terminal/figures.ts';

export default class IndexCompact extends LhsCommand {
  static override summary =
    'Merge an index’s segments and drop deleted rows, without reading the table or ' +
    'blocking searches.';
  static override examples = [
    '<%= config.bin %> index compact demo-incidents',
    '<%= config.bin %> index compact demo-incidents --segments 4 --json',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    ...detachFlag,
    segments: Flags.integer({
      description: 'number of segments (1), more if a segment would be too large',
      helpValue: 'N',
      min: 1,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexCompact);
    const request = { index: args.index, segments: flags.segments };
    const done = await this.jobResult(flags, {
      request: { kind: 'compact', ...request },
      stopped: 'the index is unchanged',
      call: (backend, call) => backend.compact(request, call),
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const { segments_before: before, segments_after: after } = done;
    const { orphans } = done;
    const sizes = `${bytes(done.bytes_before)} → ${bytes(done.bytes_after)}`;
    this.print([
      done.bytes_before === done.bytes_after && before === after
        ? `${args.index}  ${plural(after, 'segment')} without deleted rows: nothing to do`
        : `${args.index}  ${before} → ${plural(after, 'segment')} in ` +
          `${duration(done.took_ms)} · ${sizes}`,
      ...(orphans === undefined
        ? []
        : [`removed ${plural(orphans.removed, 'file')} without an owner, ${bytes(orphans.bytes)}`]),
    ]);
  }
}
