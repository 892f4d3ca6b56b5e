import {
  LhsError,
  memoryBytes,
  type ReindexRequest,
  type ReindexResponse,
} from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { endNow, LhsCommand } from '../../base-command.ts';
import { BackgroundJob, failureOf } from '../../sync/background-job.ts';
import { JobWatch } from '../../sync/job-watch.ts';
import { backendArgs, printDetached, startDetached } from '../../sync/start-detached.ts';
import { skippedLines, vectorLines } from '../../sync/step-lines.ts';
import { bytes, count, duration, rate, snapshotName } from '../../terminal/figures.ts';
import { progressReport } from '../../terminal/progress.ts';

/** The flags that say where and how to build. */
interface BuildFlags {
  readonly 'data-dir'?: string | undefined;
  readonly url?: string | undefined;
  readonly profile?: string;
  readonly json?: boolean;
  readonly detach?: boolean;
}

export default class IndexReindex extends LhsCommand {
  static override summary =
    'Build an index from its table. The former generation serves searches until then.';
  static override examples = [
    '<%= config.bin %> index reindex incidents',
    '<%= config.bin %> index reindex incidents --detach',
    '<%= config.bin %> index reindex incidents --resume',
    '<%= config.bin %> index reindex incidents --window 2026-03',
    '<%= config.bin %> index reindex incidents --as-of 5029384756100371 --json',
    '<%= config.bin %> index reindex incidents --threads 1 --memory 512MiB',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
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
      description: 'memory that the build may take (1GiB)',
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
    if (this.remoteUrl(flags) !== undefined && flags.detach) return this.#start(request, flags);
    const own = flags.detach || (this.terminal.asks && !flags.json);
    const isHere = this.remoteUrl(flags) !== undefined || !own;
    const done = isHere ? await this.#here(request, flags) : await this.#beside(request, flags);
    if (done === null) return;
    if (flags.json) this.printJson(done);
    else this.#report(args.index, done);
  }

  async #window(index: string, window: string, flags: BuildFlags): Promise<void> {
    if (flags.detach) {
      return startDetached(this.terminal, { kind: 'reindex_window', index, window }, flags);
    }
    const backend = await this.backend(flags);
    const report = progressReport(this.terminal, index, flags.json ?? false);
    const done = await this.stoppable('the window is as it was', (signal) =>
      backend
        .reindexWindow({ index, window }, { progress: report.update, signal })
        .finally(report.stop),
    );
    if (flags.json) return this.printJson(done);
    const snapshot = done.snapshot === null ? 'the empty table' : snapshotName(done.snapshot);
    const rows = `${count(done.doc_count)} rows in ${duration(done.took_ms)}`;
    this.print([`${index}  window ${window} built · ${rows} · snapshot ${snapshot}`]);
  }

  /** Builds in this process. */
  async #here(request: ReindexRequest, flags: BuildFlags): Promise<ReindexResponse> {
    const backend = await this.backend(flags);
    const report = progressReport(this.terminal, request.index ?? '', flags.json ?? false);
    return this.stoppable('the live generation is untouched', (signal) =>
      backend.reindex(request, { progress: report.update, signal }).finally(report.stop),
    );
  }

  /** Builds in a process of its own; null if the job goes on without this one. */
  async #beside(request: ReindexRequest, flags: BuildFlags): Promise<ReindexResponse | null> {
    const job = await BackgroundJob.start({ kind: 'reindex', ...request }, backendArgs(flags));
    if (flags.detach) return this.#detach(job, flags.json === true);
    const watch = new JobWatch(job, this.terminal, endNow);
    const last = await watch.end();
    if (last === null) return this.#detach(job, false);
    job.release();
    const failed = failureOf(last);
    if (failed?.code === 'interrupted') {
      throw new LhsError('interrupted', 'interrupted: the live generation is untouched');
    }
    if (failed !== null || last.kind !== 'reindex' || last.result === undefined) throw failed;
    return last.result;
  }

  /** Starts a job of a service and does not wait. */
  async #start(request: ReindexRequest, flags: BuildFlags): Promise<void> {
    const backend = await this.backend(flags);
    const job = await backend.startJob({ kind: 'reindex', ...request });
    if (flags.json) this.printJson(job);
    else this.print([`${job.index}  job ${job.job_id} goes on`, watchLine(job.job_id)]);
  }

  async #detach(job: BackgroundJob, json: boolean): Promise<null> {
    await printDetached(this.terminal, job, json);
    return null;
  }

  #report(index: string, done: ReindexResponse): void {
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
    this.print([...lines, `next: lhs search ${index} "some words"`]);
  }
}

const watchLine = (id: string): string => `next: lhs jobs watch ${id}`;
