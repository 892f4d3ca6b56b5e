import type { FollowRequest, Progress } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { type GlobalFlags, LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { millis } from '../../search/flag-values.ts';
import { withNewDefinition } from '../../source/new-definition.ts';
import { followReport } from '../../sync/follow-report.ts';
import { followService } from '../../sync/follow-service.ts';
import { oneStep, skippedLines, stepLine, vectorLines } from '../../sync/step-lines.ts';
import { count, duration, plural } from '../../terminal/figures.ts';
import { jsonText } from '../../terminal/json-text.ts';

interface SyncFlags extends GlobalFlags {
  readonly until?: string;
  readonly wait?: string;
  readonly net?: boolean;
}

export default class IndexSync extends LhsCommand {
  static override aliases = ['sync'];
  static override summary = 'Apply the table’s new snapshots to an index.';
  static override examples = [
    '<%= config.bin %> sync demo-incidents',
    '<%= config.bin %> sync demo-incidents --follow',
    '<%= config.bin %> sync demo-incidents --until 5110000000000042 --json',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    follow: Flags.boolean({
      description: 'keep applying new snapshots until stopped',
      exclusive: ['until'],
    }),
    until: Flags.string({
      description: 'last snapshot to apply (the head)',
      helpValue: 'SNAPSHOT',
    }),
    net: Flags.boolean({
      description: 'apply all new snapshots in one commit (if there are more than 16)',
      allowNo: true,
      exclusive: ['follow'],
    }),
    wait: Flags.string({
      description: 'longest wait for another writer of the index (30)',
      helpValue: 'SECONDS',
      exclusive: ['follow'],
    }),
    poll: Flags.string({
      description: 'longest pause between two checks of the table (5)',
      helpValue: 'SECONDS',
      dependsOn: ['follow'],
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexSync);
    const work = flags.follow ? this.#follow(args.index, flags) : this.#once(args.index, flags);
    await work.catch(async (error: unknown) => {
      const backend = await this.backend(flags);
      throw await withNewDefinition(error, args.index, backend, await this.source(flags));
    });
  }

  async #once(index: string, flags: SyncFlags): Promise<void> {
    const backend = await this.backend(flags);
    const progress = (p: Progress) => {
      if (p.phase !== 'syncing') return;
      this.terminal.err(flags.json ? jsonText(p) : stepLine(p));
    };
    const wait_ms = millis('--wait', flags.wait);
    const request = { index, until: flags.until, net: flags.net, wait_ms };
    const done = await this.stoppable('commits are kept', (signal) =>
      backend.sync(request, { progress, signal }),
    );
    if (flags.json) return this.printJson(done);
    const rows = `${plural(done.doc_count, 'row')} now`;
    if (done.snapshots_applied === 0) {
      const where = flags.until === undefined ? 'at the table’s head' : 'at that snapshot';
      const { published_commit: commit } = done;
      const what = commit === undefined ? 'nothing to do' : `published as commit ${commit}`;
      return this.print([`${index} is ${where}: ${what}`]);
    }
    this.print([
      `${index}  ${plural(done.snapshots_applied, 'snapshot')} applied in ` +
        `${duration(done.took_ms)}: ` +
        `+${count(done.inserted)} ~${count(done.updated)} -${count(done.deleted)} rows · ${rows}`,
    ]);
    if (done.healed) this.print([oneStep(done.healed)]);
    if (done.dropped_duplicates) {
      this.print([
        `${count(done.dropped_duplicates)} rows with a key that came again were left out`,
      ]);
    }
    this.print([...skippedLines(done), ...vectorLines(done)]);
  }

  /** Stops with exit code 0 after a signal. */
  async #follow(index: string, flags: GlobalFlags & { readonly poll?: string }): Promise<void> {
    const poll_ms = millis('--poll', flags.poll);
    const backend = await this.backend(flags);
    const follow = (request: FollowRequest, signal: AbortSignal) =>
      this.isRemote(flags)
        ? followService(backend, request, signal)
        : backend.follow(request, { signal });
    const { signal } = this.interruptible('commits are kept');
    const report = flags.json ? null : followReport(this.terminal, this.style);
    try {
      for await (const event of follow({ index, poll_ms }, signal)) {
        if (report === null) this.terminal.data(jsonText(event));
        else report.tell(event);
      }
    } finally {
      report?.stop();
    }
  }
}
