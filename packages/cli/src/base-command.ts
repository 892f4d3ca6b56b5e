import { existsSync } from 'node:fs';
import { type JobKind, type JobResults, LhsError } from '@lakehouse-search/contract';
import type { BackendApi, SourceApi } from '@lakehouse-search/contract/internal';
import type { EngineOptions } from '@lakehouse-search/engine/internal';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { Command, Flags } from '@oclif/core';
import { requireUtf8Arguments } from './config/argument-bytes.ts';
import { joinedWords } from './config/joined-words.ts';
import { localOnly, refuseUrl } from './config/local-commands.ts';
import { type FlagSettings, readSettings, serviceUrl, settingValue } from './config/settings.ts';
import { joinedOrder, spacedValues, switchValues } from './config/switch-values.ts';
import { absoluteTarget } from './files/backup-target.ts';
import type { DefinitionFile } from './files/definition-file.ts';
import { fileOfIndex } from './files/definition-name.ts';
import type { OutputColumn, OutputRow } from './output/columns.ts';
import { type OutputTarget, outputTarget, rowTarget } from './output/output-target.ts';
import type { RowFormat } from './output/row-formats.ts';
import type { AnswerShapes } from './output/write-answer.ts';
import type { JobFlags, JobWork } from './sync/run-job.ts';
import { endNow } from './terminal/end-now.ts';
import { commandLines } from './terminal/errors/command-lines.ts';
import {
  locatedLine,
  locatedTerminal,
  withWriterCommand,
} from './terminal/errors/command-location.ts';
import { nextCommand } from './terminal/errors/next-step.ts';
import { shellWord } from './terminal/errors/shell-word.ts';
import { jsonText } from './terminal/json-text.ts';
import { type Style, styleFor } from './terminal/style.ts';
import { processTerminal, type Terminal } from './terminal/terminal.ts';

/** Values of the flags that all commands have. */
export interface GlobalFlags {
  readonly 'data-dir'?: string | undefined;
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
  readonly json?: boolean | undefined;
  readonly debug?: boolean | undefined;
}

/** The settings that global flags give. */
const settingsOf = ({ 'data-dir': data_dir, url, profile }: GlobalFlags): FlagSettings => ({
  ...(data_dir === undefined ? {} : { data_dir }),
  ...(url === undefined ? {} : { url }),
  ...(profile === undefined ? {} : { profile }),
});

const STOPS = ['SIGINT', 'SIGTERM'] as const;

/** A server that a command runs. */
interface Stoppable {
  stop(): Promise<void>;
  /** Reads its files again. */
  reload?(): void;
}

const admit: EngineOptions['admit'] = async (definition) => {
  const { admitCatalog } = await import('./config/admit-catalog.ts');
  admitCatalog(definition);
};

/**
 * Base of every command: global flags, the terminal, the backend and the report of errors.
 */
export abstract class LhsCommand extends Command {
  static override baseFlags = {
    'data-dir': Flags.string({
      description: 'data folder of the embedded engine (LHS_DATA_DIR)',
      helpValue: 'DIR',
      helpGroup: 'GLOBAL',
    }),
    url: Flags.string({
      description: 'address of a service, instead of the embedded engine (LHS_URL)',
      helpValue: 'URL',
      helpGroup: 'GLOBAL',
    }),
    profile: Flags.string({
      description: 'profile of the configuration file (LHS_PROFILE)',
      helpValue: 'NAME',
      helpGroup: 'GLOBAL',
    }),
    json: Flags.boolean({ description: 'print the response as JSON', helpGroup: 'GLOBAL' }),
    debug: Flags.boolean({
      description: 'show where an error happened, or what scores',
      helpGroup: 'GLOBAL',
    }),
  };

  protected terminal: Terminal = processTerminal();
  protected readonly style: Style = styleFor(this.terminal);
  /** The definition file in commands that errors name. */
  #file: string | undefined;
  #location: string | undefined;
  #located = (line: string): string => line;
  #backend: BackendApi | undefined;

  /** Prints a JSON value: one line on a pipe, indented for a person. */
  protected printJson(value: unknown): void {
    this.terminal.data(jsonText(value, this.terminal.interactive ? 2 : undefined));
  }

  /** Prints lines for people; a line end inside of one becomes a blank. */
  protected print(lines: readonly string[]): void {
    if (lines.length > 0) this.terminal.out(...lines);
  }

  /** Tells why a list is empty if the data folder is missing: its name may be wrong. */
  protected tellMissingFolder(flags: GlobalFlags): void {
    if (this.isRemote(flags)) return;
    const folder = this.dataDir(flags);
    if (existsSync(folder)) return;
    this.terminal.err(
      `data folder "${folder}" does not exist; another one is chosen by`,
      nextCommand({ step: 'choose_data_folder' }),
    );
  }

  /** Where the answer goes that the flags of `outputFlags` describe. */
  protected target(flags: Parameters<typeof outputTarget>[0]): OutputTarget {
    return outputTarget(flags, this.terminal.interactive);
  }

  /** Columns of the lines of an answer: no limit in a file. */
  protected widthOf(target: OutputTarget): number {
    return target.file === undefined ? this.terminal.width : Number.POSITIVE_INFINITY;
  }

  /** Colour, unless the lines go to a file. */
  protected styleOf(target: OutputTarget): Style {
    return target.file === undefined ? this.style : styleFor({ color: false });
  }

  /** Writes a response in the format and to the file that the flags name. */
  protected async answer(target: OutputTarget, shapes: AnswerShapes): Promise<void> {
    const { writeAnswer, writtenLine } = await import('./output/write-answer.ts');
    const { interactive, color } = this.terminal;
    const here = target.file === undefined;
    const reader = { indent: here && interactive, styled: here && color };
    const lines = async () => (await shapes.lines()).map(this.#located);
    const written = await writeAnswer(target, { ...shapes, lines }, reader);
    if (!here) this.terminal.err(writtenLine(target, written));
  }

  /** Writes rows, as `each` passes them on, in the format and to the file that the flags name. */
  protected async rows(
    flags: Parameters<typeof rowTarget>[0],
    columns: readonly OutputColumn[],
    each: (write: (row: OutputRow) => Promise<void>, format: RowFormat) => Promise<void>,
  ): Promise<void> {
    const { withSink } = await import('./output/output-sink.ts');
    const { rowWriter } = await import('./output/row-writer.ts');
    const { writtenLine } = await import('./output/write-answer.ts');
    const target = rowTarget(flags, this.terminal.interactive);
    let rows = 0;
    const bytes = await withSink(target.file, async (sink) => {
      const out = await rowWriter(target.format, columns, sink);
      await each(async (row) => {
        await out.write(row);
        rows++;
      }, target.format);
      await out.end();
    });
    if (target.file !== undefined) this.terminal.err(writtenLine(target, { bytes, rows }));
  }

  /** The settings of flags, environment and files. */
  protected settings(flags: GlobalFlags) {
    return readSettings(settingsOf(flags));
  }

  /** The data folder that flags, environment and files name. */
  protected dataDir(flags: GlobalFlags): string {
    return settingValue(this.settings(flags), 'data_dir') as string;
  }

  /**
   * The backend that flags, environment and files name, opened once and closed when the command
   * ends. Its answers check the table first, unless `options` differ.
   */
  protected async backend(
    flags: GlobalFlags,
    options: EngineOptions = { freshnessMs: 0 },
  ): Promise<BackendApi> {
    if (this.#backend !== undefined) return this.#backend;
    const url = this.#location === undefined ? this.remoteUrl(flags) : undefined;
    if (url === undefined) return this.localBackend(flags, options);
    const { openRemote } = await import('./config/open-remote.ts');
    const { withJobProgress } = await import('./sync/remote-jobs.ts');
    const backend = withJobProgress(openRemote(url, process.env, flags.profile));
    this.#backend = backend;
    return backend;
  }

  /** The URL of the service that runs the command; undefined: the embedded engine runs it. */
  protected remoteUrl(flags: GlobalFlags): string | undefined {
    return serviceUrl(settingsOf(flags));
  }

  override async init(): Promise<void> {
    await super.init();
    requireUtf8Arguments(this.argv);
    refuseUrl(this.id ?? '', this.argv);
  }

  /** The command line before it is parsed. */
  protected typed: readonly string[] = [];

  /**
   * Parses the command line after the words of a query or a text are joined. An index may be named
   * by its location.
   */
  protected override parse: Command['parse'] = async (options, argv = this.argv) => {
    this.typed = argv;
    const flags = { ...options?.flags, ...LhsCommand.baseFlags };
    const spaced = spacedValues(argv);
    const words = switchValues('sort' in flags ? joinedOrder(spaced) : spaced, flags);
    const parsed = await super.parse(options, joinedWords(words, { args: options?.args, flags }));
    const args: { index?: unknown } = parsed.args;
    if (typeof args.index !== 'string' || !args.index.includes('/')) return parsed;
    return { ...parsed, args: { ...parsed.args, index: await this.atLocation(args.index) } };
  };

  /** Makes `backend` read a published location, over all other settings. Returns its URL. */
  protected async atLocation(location: string): Promise<string> {
    const { locationUrl } = await import('@lakehouse-search/engine/internal');
    this.#location = locationUrl(location);
    this.#located = locatedLine(this.#location);
    this.terminal = locatedTerminal(this.terminal, this.#located);
    return this.#location;
  }

  /** As `backend`, where only the embedded engine will do. */
  protected async localBackend(
    flags: GlobalFlags,
    options: EngineOptions = { freshnessMs: 0 },
  ): Promise<LocalEngine> {
    const settings = this.settings(flags);
    const isHere = this.#location !== undefined;
    if (!isHere && this.remoteUrl(flags) !== undefined) throw localOnly(this.id ?? '');
    const { openEngine } = await import('@lakehouse-search/engine/local/internal');
    const target = settingValue(settings, 'backup_target');
    const dataDir = this.#location ?? (settingValue(settings, 'data_dir') as string);
    const backend = await openEngine(dataDir, {
      ...{ create: true, threads: 0, admit },
      ...options,
      ...(target === undefined ? {} : { backupTarget: absoluteTarget(target) }),
    });
    this.#backend = backend;
    return backend;
  }

  /** True if a service runs the command, not the embedded engine. */
  protected isRemote(flags: GlobalFlags): boolean {
    return this.remoteUrl(flags) !== undefined;
  }

  /** The operations on tables, which need no data folder. */
  protected async source(flags: GlobalFlags): Promise<SourceApi> {
    if (this.isRemote(flags)) return this.backend(flags);
    return (await import('@lakehouse-search/engine/internal')).LOCAL_SOURCE;
  }

  /**
   * A signal that Ctrl-C and SIGTERM abort. The second one ends the process at once. `release`
   * gives the signals back to the process. `note`: what is true however it ends.
   */
  protected interruptible(note?: string): { readonly signal: AbortSignal; release(): void } {
    const controller = new AbortController();
    const stop = () => {
      if (controller.signal.aborted) endNow();
      const more = note === undefined ? '' : `; ${note}`;
      this.terminal.err('', `stopping … (again to stop at once)${more}`);
      controller.abort();
    };
    for (const name of STOPS) process.on(name, stop);
    return {
      signal: controller.signal,
      release() {
        for (const name of STOPS) process.removeListener(name, stop);
      },
    };
  }

  /**
   * The answer of work that Ctrl-C and SIGTERM stop. When it was stopped, the error says what is
   * true then (`stopped`); when it had ended all the same, so does a line on stderr.
   */
  protected async stoppable<T>(
    stopped: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { signal, release } = this.interruptible();
    try {
      const answer = await work(signal);
      if (signal.aborted) this.terminal.err('the work finished before the signal arrived');
      return answer;
    } catch (error) {
      const { sourceError } = await import('@lakehouse-search/engine/internal');
      const known = sourceError(error);
      if (!(known instanceof LhsError) || known.code !== 'interrupted') throw error;
      // a library that cannot be interrupted may still run in a thread of this process
      setTimeout(endNow, END_AFTER_MS).unref();
      throw new LhsError('interrupted', `interrupted: ${stopped}`, { cause: error });
    } finally {
      release();
    }
  }

  /**
   * Ends the process soon after the signal, also if a request has no answer yet, and prints `note`
   * then. Returns how to undo this, for when the work has ended.
   */
  protected endUnanswered(signal: AbortSignal, note: string): () => void {
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      this.terminal.err(`interrupted: ${note}`);
      endNow();
    };
    const start = () => {
      timer = setTimeout(end, ANSWER_MS);
    };
    signal.addEventListener('abort', start, { once: true });
    return () => {
      signal.removeEventListener('abort', start);
      clearTimeout(timer);
    };
  }

  /**
   * The result of a job; null if the job goes on without this process. On a terminal the job runs
   * in a process of its own or in the service, and Ctrl-C asks whether to detach it or to cancel
   * it. Without a terminal, Ctrl-C and SIGTERM cancel it.
   */
  protected async jobResult<K extends JobKind>(
    flags: JobFlags,
    work: JobWork<K>,
  ): Promise<JobResults[K] | null> {
    const json = flags.json === true;
    const isWatched = flags.detach === true || (this.terminal.asks && !json && !work.isHere);
    if (isWatched) {
      const service = this.remoteUrl(flags) === undefined ? null : await this.backend(flags);
      const { watchedJob } = await import('./sync/run-job.ts');
      return watchedJob(work, { terminal: this.terminal, flags, service, endNow });
    }
    const backend = await this.backend(flags);
    const { progressReport } = await import('./terminal/progress.ts');
    const report = progressReport(this.terminal, work.label ?? work.request.index ?? '', json);
    return this.stoppable(work.stopped, (signal) =>
      work.call(backend, { progress: report.update, signal }).finally(report.stop),
    );
  }

  /**
   * Waits for the signal, then stops the server. SIGHUP lets it read its files again; that of a
   * terminal that is closed stops it.
   */
  protected async untilStopped(signal: AbortSignal, server: Stoppable): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    const hasTerminal = process.stdin.isTTY === true;
    const hangUp = () => (hasTerminal ? stopped.resolve() : server.reload?.());
    process.on('SIGHUP', hangUp);
    signal.addEventListener('abort', () => stopped.resolve(), { once: true });
    if (!signal.aborted) await stopped.promise;
    await server.stop();
    process.removeListener('SIGHUP', hangUp);
  }

  /** The definition that argument or flag name; errors then name its file. */
  protected async definitionOf(argument?: string, flag?: string): Promise<DefinitionFile> {
    const { readDefinition } = await import('./files/definition-file.ts');
    const read = await readDefinition(argument, flag);
    if (read.file !== '-') this.#file = shellWord(read.file);
    return read;
  }

  override async catch(error: Error): Promise<void> {
    const color = { color: this.terminal.color && process.stderr.isTTY === true };
    const { errorReport } = await import('./terminal/errors/error-report.ts');
    const shown = withWriterCommand(error, this.id ?? '', this.argv);
    const report = errorReport(shown, styleFor(color), this.terminal.errWidth, this.id ?? '');
    if (this.argv.includes('--json')) this.printJson(report.body);
    else {
      const typedFile = this.argv.map(fileOfIndex).find(Boolean);
      const typed = { argv: this.argv, flags: this.ctor.flags, file: this.#file, typedFile };
      this.terminal.err(...commandLines(report.lines, typed));
    }
    if (this.argv.includes('--debug')) this.terminal.err(...String(error.stack).split('\n'));
    process.exitCode = report.exit;
  }

  override async finally(): Promise<void> {
    await this.#backend?.close();
  }
}

/** Time for the message of an interrupted command to be written. */
const END_AFTER_MS = 300;
/** Time for an answer after a signal. */
const ANSWER_MS = 700;
