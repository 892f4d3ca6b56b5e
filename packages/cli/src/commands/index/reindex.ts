import type { ReindexResponse } from '@lakehouse-search/contract';
import { memoryBytes } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { nextSearch } from '../../search/next-search.ts';
import { withNewDefinition } from '../../source/new-definition.ts';
import type { JobFlags } from '../../sync/run-job.ts';
import { skippedLines, vectorLines } from '../../sync/step-lines.ts';
import { bytes, count, duration, rate, snapshotName } from '../../terminal/figures.ts';

export default class IndexReindex extends LhsCommand {
  static override aliases = ['reindex'];
  static override summary =
    'Build an index from its table. The former generation serves searches until then.';
  static override examples = [
    '<%= config.bin %> reindex demo-incidents',
    '<%= config.bin %> reindex demo-incidents --detach',
    '<%= config.bin %> reindex demo-incidents --resume',
    '<%= config.bin %> reindex demo-incidents --window 2026-03',
    '<%= config.bin %> reindex demo-incidents --as-of 5029384756100371 --json',
    '<%= config.bin %> reindex demo-incidents --threads 1 --memory 512MiB',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    detach: Flags.boolean({
      description: 'build in a background process that survives the terminal',
    }),
    resume: Flags.boolean({
      description: 'continue a build whose process ended in the middle',
      exclusive: ['as-of'],
    }),
    'as-of': Flags.string({
      description: 'snapshot to build from (the current one)',
      helpValue: 'SNAPSHOT',
    }),
    window: Flags.string({
      description: 'build one window again, at the snapshot of the index',
      helpValue: 'WINDOW',
      exclusive: ['as-of', 'resume'],
    }),
    threads: Flags.integer({ description: 'threads that build (one per core)', helpValue: 'N' }),
    memory: Flags.string({
      description: 'memory that the build may take, from 224MiB on (1GiB)',
      helpValue: 'SIZE',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexReindex);
    if (flags.window !== undefined) return this.#window(args.index, flags.window, flags);
    const request = {
      index: args.index,
      as_of: flags['as-of'],
      resume: flags.resume,
      threads: flags.threads,
      memory_bytes: flags.memory === undefined ? undefined : memoryBytes(flags.memory),
    };
    const done = await this.jobResult(flags, {
      request: { kind: 'reindex', ...request },
      stopped: 'the live generation is untouched',
      call: (backend, call) => backend.reindex(request, call),
    }).catch(async (error: unknown) => {
      const backend = await this.backend(flags);
      throw await withNewDefinition(error, args.index, backend, await this.source(flags));
    });
    if (done === null) return;
    if (flags.json) this.printJson(done);
    else this.#report(args.index, done, await nextSearch(await this.backend(flags), args.index));
  }

  async #window(index: string, window: string, flags: JobFlags): Promise<void> {
    const request = { index, window };
    const done = await this.jobResult(flags, {
      request: { kind: 'reindex_window', ...request },
      stopped: 'the window is as it was',
      call: (backend, call) => backend.reindexWindow(request, call),
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const snapshot = done.snapshot === null ? 'the empty table' : snapshotName(done.snapshot);
    const rows = `${count(done.doc_count)} rows in ${duration(done.took_ms)}`;
    this.print([`${index}  window ${window} built · ${rows} · snapshot ${snapshot}`]);
  }

  #report(index: string, done: ReindexResponse, next: string): void {
    const perSecond = rate((done.doc_count / Math.max(1, done.took_ms)) * 1000);
    const snapshot =
      done.snapshot === null ? 'the empty table' : `snapshot ${snapshotName(done.snapshot)}`;
    const lines = [
      `${index}  built     ${count(done.doc_count)} rows in ` +
        `${duration(done.took_ms)} (${perSecond} rows/s)` +
        ` · ${bytes(done.bytes)} · generation ${done.index_generation} live · ${snapshot}`,
    ];
    if (done.resumed_docs)
      lines.push(`${count(done.resumed_docs)} rows were there from the build before`);
    if (done.dropped_duplicates)
      lines.push(`${count(done.dropped_duplicates)} rows with a key that came again were left out`);
    lines.push(...skippedLines(done), ...vectorLines(done));
    this.print([...lines, `next: ${next}`]);
  }
}
