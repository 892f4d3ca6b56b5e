import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { count, duration, snapshotName } from '../../terminal/figures.ts';

export default class IndexRollback extends LhsCommand {
  static override summary =
    'Make the former generation of an index live again, with its definition. Nothing is lost.';
  static override description =
    'The former generation has been synced since a reindex or an alter replaced it. Run the ' +
    'command again to go forward.';
  static override examples = [
    '<%= config.bin %> index rollback demo-incidents',
    '<%= config.bin %> index rollback demo-incidents --generation 3 --json',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    ...detachFlag,
    generation: Flags.integer({
      description: 'kept generation to go back to (the one that was live last)',
      helpValue: 'N',
      min: 1,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexRollback);
    const request = { index: args.index, generation: flags.generation };
    const done = await this.jobResult(flags, {
      request: { kind: 'rollback', ...request },
      stopped: 'the live generation is untouched',
      call: (backend, call) => backend.rollbackIndex(request, call),
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const { index, index_generation: live, former_generation: former, snapshot } = done;
    const at = snapshot === null ? 'the empty table' : `snapshot ${snapshotName(snapshot)}`;
    this.print([
      `${index}  generation ${live} live again in ${duration(done.took_ms)} · ` +
        `${count(done.doc_count)} rows · ${at}`,
      `generation ${former} is kept to go forward again (lhs index rollback ${index})`,
    ]);
  }
}
