import { LhsError } from '@lakehouse-search/contract';
import { memoryBytes } from '@lakehouse-search/contract/internal';
import {
  type FollowOptions,
  followFile,
  type InputNote,
  type InputReading,
  importFiles,
} from '@lakehouse-search/lake';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { list, millis } from '../../search/flag-values.ts';
import { followEvent, followLine } from '../../source/follow-lines.ts';
import { followingIndexes, nextAfter } from '../../source/following-indexes.ts';
import { adviceOf } from '../../source/import-advice.ts';
import { inputOf } from '../../source/import-input.ts';
import {
  advisedFlags,
  noteLines,
  oneRowNotes,
  readingLine,
  schemaColumns,
  schemaLine,
} from '../../source/import-report.ts';
import { readingFlags, readingOptions } from '../../source/reading-flags.ts';
import { catalogInForce, type SourceFlags, sourceFlags } from '../../source/source-flags.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { clockTime, duration, plural, rate } from '../../terminal/figures.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { progressReport } from '../../terminal/progress.ts';

/** Of an import whose last request has no answer. */
const UNANSWERED =
  'a store or catalog does not answer; whether the rows are in the table is unknown';
/** `--interval` of `--follow`. */
const DEFAULT_INTERVAL_MS = 10_000;

/** The import that was typed with more flags, if there are any, in place of what it has made. */
const importAgain = (typed: readonly string[], flags: readonly string[]): readonly string[] => {
  if (flags.length === 0) return [];
  const words = typed.filter((word) => word !== '--replace' && word !== '--overwrite');
  return [['lhs import', ...words.map(shellWord), '--replace', ...flags].join(' ')];
};

/** The table as commands name it: `my.events --warehouse ./lake`. */
function tableWords(flags: SourceFlags & { readonly table: string }): string {
  const location = (['warehouse', 'catalog'] as const).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  });
  return [shellWord(flags.table), ...location].join(' ');
}

const isJson = (files: readonly string[]) => files.some((file) => /\.json(\.\w+)?$/.test(file));

export default class SourceImport extends LhsCommand {
  static override aliases = ['import'];
  static override summary = 'Create an Iceberg table from files as they are, or add them to one.';
  static override examples = [
    '<%= config.bin %> import events.parquet --table my.events --warehouse ./lake --key id',
    '<%= config.bin %> import more/*.csv.gz --table my.events --warehouse ./lake --append',
    'zcat a.ndjson.gz | <%= config.bin %> import - --table my.events --warehouse ./lake',
  ];
  static override strict = false;
  static override usage = 'FILE...|- --table NS.T --warehouse DIR [--key A,B]';
  static override flags = {
    table: Flags.string({ description: 'namespace.table', helpValue: 'NS.T', required: true }),
    warehouse: sourceFlags.warehouse,
    catalog: sourceFlags.catalog,
    key: Flags.string({ description: 'key columns (identifier fields)', helpValue: 'A,B' }),
    append: Flags.boolean({ description: 'add to the table', exclusive: ['replace'] }),
    'allow-duplicate-keys': Flags.boolean({
      description: 'do not check that keys are unique, in the files and in the table',
    }),
    replace: Flags.boolean({
      aliases: ['overwrite'],
      description: 'replace the rows and columns of the table in one commit',
    }),
    follow: Flags.boolean({
      description: 'add the lines that a file gets, until stopped',
      exclusive: ['replace'],
    }),
    interval: Flags.string({
      description: 'pause between two looks at the file (10)',
      helpValue: 'SECONDS',
      dependsOn: ['follow'],
    }),
    ...readingFlags,
    'partition-by': Flags.string({
      description: 'day(opened_at),bucket[16](id),…',
      helpValue: 'SPEC',
    }),
    'format-version': Flags.string({ options: ['2', '3'], description: 'Iceberg format (2)' }),
    memory: Flags.string({
      description:
        'memory for writing; more is spilled beside the data (768MiB, at most half of a container)',
      helpValue: 'SIZE',
    }),
  };

  override async run(): Promise<void> {
    const { argv, flags } = await this.parse(SourceImport);
    const catalog = await catalogInForce(flags, 'the location of the new table');
    const notes: InputNote[] = [];
    let reading: InputReading | undefined;
    const version = flags['format-version'];
    const options = {
      catalog,
      table: flags.table,
      reading: readingOptions(flags),
      memoryBytes: flags.memory === undefined ? undefined : memoryBytes(flags.memory),
      onRead: (seen: InputReading) => {
        reading = seen;
      },
      onNote: (note: InputNote) => {
        notes.push(note);
      },
      key: list(flags.key),
      partitionBy: flags['partition-by'],
      formatVersion: version === undefined ? undefined : (Number(version) as 2 | 3),
      allowDuplicateKeys: flags['allow-duplicate-keys'],
    };
    if (flags.follow) return this.#follow(argv as string[], options, flags);
    const started = performance.now();
    const report = progressReport(this.terminal, flags.table, flags.json ?? false, 'table');
    const input = inputOf(argv as string[], options.reading);
    const source = input.kind === 'files' ? { files: input.paths } : { files: [], ...input };
    const mode = flags.append ? 'append' : flags.replace ? 'overwrite' : 'create';
    const done = await this.stoppable('the table is as it was', (signal) => {
      const answered = this.endUnanswered(signal, UNANSWERED);
      return importFiles({ ...options, ...source, mode, onProgress: report.update, signal })
        .catch((error: unknown) => Promise.reject(adviceOf(error)))
        .finally(() => {
          answered();
          report.stop();
        });
    });
    const { schema } = done;
    const isOneObject = done.inserted === 1 && reading?.rows === undefined && isJson(source.files);
    const allNotes = [...(isOneObject && schema ? oneRowNotes(schema) : []), ...notes];
    if (flags.json)
      return this.printJson({
        table: flags.table,
        snapshot: done.snapshot,
        inserted: done.inserted,
        read: reading,
        notes: allNotes,
        columns: schema && schemaColumns(schema),
      });
    const table = tableWords(flags);
    const init = `lhs index init ${table} > definition.yaml`;
    const opened = () => this.backend(flags);
    const indexes =
      mode === 'create' || done.snapshot === null
        ? []
        : await followingIndexes(opened, flags.table, done.snapshot);
    const isAgain = input.kind === 'files' && !flags.append;
    const again = isAgain ? importAgain(this.argv, advisedFlags(reading, notes)) : [];
    const isFollowed = flags.append && indexes.length > 0;
    const next = [...again, ...nextAfter(indexes, done, isFollowed ? [] : [init])];
    const took = performance.now() - started;
    const perSecond = rate((done.inserted / Math.max(1, took)) * 1000);
    const columns = schema === undefined ? [] : [schemaLine(schema, table)];
    this.print([
      `${flags.table}  +${plural(done.inserted, 'row')} in ${duration(took)} (${perSecond} rows/s)`,
      ...(reading === undefined ? [] : [readingLine(reading)]),
      ...columns,
      ...noteLines(allNotes, done.inserted),
      ...next.map((command) => `next: ${command}`),
    ]);
  }
  /** Stops with exit code 0 after a signal. */
  async #follow(
    files: readonly string[],
    options: Omit<FollowOptions, 'file' | 'intervalMs'>,
    flags: { readonly json?: boolean; readonly append: boolean; readonly interval?: string },
  ): Promise<void> {
    const [file, ...more] = files;
    if (file === undefined || file === '-' || more.length > 0) {
      throw new LhsError('invalid_argument', '--follow takes the name of one file');
    }
    const intervalMs = millis('--interval', flags.interval) ?? DEFAULT_INTERVAL_MS;
    const { signal } = this.interruptible('the next start goes on behind the last commit');
    const { append } = flags;
    const answered = this.endUnanswered(signal, UNANSWERED);
    const steps = followFile({ ...options, file, intervalMs, append, signal });
    let last = '';
    try {
      for await (const step of steps) {
        if (flags.json) {
          this.terminal.data(jsonText(followEvent(step)));
          continue;
        }
        const line = followLine(step, { file, table: options.table, intervalMs });
        if (step.step === 'commit') this.print([`${clockTime(new Date().toISOString())}  ${line}`]);
        else if (line !== last) this.terminal.err(line);
        if (step.step !== 'commit') last = line;
      }
    } catch (error) {
      throw adviceOf(error);
    } finally {
      answered();
    }
  }
}
