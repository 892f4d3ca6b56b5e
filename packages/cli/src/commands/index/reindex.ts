import type { ReindexResponse } from '@lakehouse-search/contract';
import { memoryBytes } from '@lakehouse-search/contract/internal';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { nextSearch } from '../../search/next-search.ts';
import { withNewDefinition } from '../../source/new-definition.ts';
import { builtLines } from '../../sync/built-lines.ts';
import type { JobFlags, JobWork } from '../../sync/run-job.ts';
import { count, duration, snapshotName } from '../../terminal/figures.ts';

interface TaskFlags extends JobFlags {
  readonly command?: string | undefined;
  readonly tasks?: number | undefined;
  readonly threads?: number | undefined;
  readonly runner?: string | undefined;
}

interface Runner {
  readonly runner: string;
  readonly processes: number;
  readonly backend: LocalEngine;
}

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
    '<%= config.bin %> reindex shared --runner local --tasks 8',
    "<%= config.bin %> reindex shared --runner spark --command 'spark-submit --files lhs'",
    "<%= config.bin %> reindex shared --runner command --command './on-cluster lhs build task'",
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
      description: 'memory that the build, or each task, may take, from 224MiB on (1GiB)',
      helpValue: 'SIZE',
    }),
    runner: Flags.option({
      description: 'build by tasks in other processes: of this machine, of Spark, or of --command',
      options: ['local', 'spark', 'command'] as const,
      exclusive: ['detach', 'threads', 'window'],
    })(),
    command: Flags.string({
      description:
        'shell command that reads tasks, a line each, and prints their results; ' +
        'with --runner spark: spark-submit and its options',
      dependsOn: ['runner'],
      helpValue: 'COMMAND',
    }),
    tasks: Flags.integer({
      description: 'number of tasks, at most (one per million rows)',
      dependsOn: ['runner'],
      min: 1,
      helpValue: 'N',
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
    const work: JobWork<'reindex'> = {
      request: { kind: 'reindex', ...request },
      stopped: 'the live generation is untouched',
      call: (backend, call) => backend.reindex(request, call),
    };
    const done = await this.#build(flags, work).catch(async (error: unknown) => {
      const backend = await this.backend(flags);
      throw await withNewDefinition(error, args.index, backend, await this.source(flags));
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const next = await nextSearch(await this.backend(flags), args.index);
    this.print(builtLines(args.index, done, next));
  }

  async #build(flags: TaskFlags, work: JobWork<'reindex'>): Promise<ReindexResponse | null> {
    const isOne = this.isRemote(flags) || flags.detach || flags.threads !== undefined;
    if (flags.runner === undefined && isOne) return this.jobResult(flags, work);
    const { isLargeBuild, taskProcesses } = await import('../../sync/large-build.ts');
    const { index, as_of, memory_bytes } = work.request;
    const processes = taskProcesses(memory_bytes);
    const backend = await this.localBackend(flags);
    const isLarge = () => isLargeBuild(backend, { index: index!, as_of }, processes);
    const runner = flags.runner ?? ((await isLarge()) ? 'local' : undefined);
    if (runner === undefined) return this.jobResult(flags, work);
    return this.#byTasks({ runner, processes, backend }, flags, work);
  }

  /** Tasks end with this process: it does not hand the job to another one. */
  async #byTasks(
    { runner, processes, backend }: Runner,
    flags: TaskFlags,
    work: JobWork<'reindex'>,
  ): Promise<ReindexResponse | null> {
    const { runnerOf } = await import('../../sync/run-tasks.ts');
    const { command, tasks } = flags;
    const tell = (line: string) => this.terminal.err(line);
    const run = runnerOf(runner, command, { processes, tell });
    const request = { ...work.request, tasks, least: processes, run };
    return this.jobResult(flags, {
      ...{ ...work, isHere: true },
      call: (_, call) => backend.reindexByTasks(request, call),
    });
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
}
