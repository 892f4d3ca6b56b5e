import type { Progress } from '@lakehouse-search/engine';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { count, duration, plural, snapshotName } from '../../terminal/figures.ts';

export default class IndexSync extends LhsCommand {
  static override summary =
    'Apply the table’s new snapshots to an index, each in a commit of its own.';
  static override examples = [
    '<%= config.bin %> index sync incidents',
    '<%= config.bin %> index sync incidents --until 5110000000000042 --json',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };
  static override flags = {
    until: Flags.string({
      description: 'last snapshot to apply (the head)',
      helpValue: 'SNAPSHOT',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexSync);
    const backend = await this.backend(flags);
    const signal = this.interruptible('what is committed stays');
    const onProgress = (p: Progress) => {
      if (p.snapshot === undefined) return;
      this.terminal.err(flags.json ? JSON.stringify(p) : snapshotLine(p));
    };
    const done = await backend.sync(
      { index: args.index, until: flags.until },
      { onProgress, signal },
    );
    if (flags.json) return this.printJson(done);
    if (done.snapshots_applied === 0)
      return this.print([`${args.index} is at the table’s head: nothing to do`]);
    this.print([
      `${args.index}  ${plural(done.snapshots_applied, 'snapshot')} applied in ${duration(done.took_ms)}: ` +
        `+${count(done.inserted)} ~${count(done.updated)} -${count(done.deleted)} rows · ${count(done.doc_count)} rows now`,
    ]);
    if (done.dropped_duplicates) {
      this.print([
        `${count(done.dropped_duplicates)} rows with a key that came again were left out`,
      ]);
    }
  }
}

/** `5110…0042  overwrite     +4  ~37  -12`. */
function snapshotLine(p: Progress): string {
  const name = snapshotName(p.snapshot ?? '');
  const operation = (p.operation ?? '').padEnd(9);
  if (p.operation === 'replace') return `${name}  ${operation}  rewritten files, no row changed`;
  const signed = (sign: string, n = 0) => `${sign}${count(n)}`.padStart(8);
  return `${name}  ${operation}${signed('+', p.inserted)}${signed('~', p.updated)}${signed('-', p.deleted)}`;
}
