import { type KeyRow, LhsError } from '@lakehouse-search/contract';
import { formatKey } from '@lakehouse-search/engine';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { readText } from '../../files/read-text.ts';
import { type OutputTarget, outputFlags } from '../../output/output-target.ts';
import { list } from '../../search/flag-values.ts';
import { keyForm } from '../../search/key-words.ts';
import { rowTable } from '../../search/lines/field-columns.ts';
import { NEWER_ROW } from '../../search/lines/hit-lines.ts';
import { partialRemarks } from '../../search/lines/partial.ts';
import { keysOfTexts, noRow } from '../../search/meant-keys.ts';
import { bytes, duration, plural } from '../../terminal/figures.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { pad, printable, width, wrap } from '../../terminal/text.ts';

const NOT_FOUND_EXIT = 3;

export default class KeysGet extends LhsCommand {
  static override summary = 'Read rows of the table by key (exit 3 if a key is absent).';
  static override examples = [
    '<%= config.bin %> keys get demo-incidents id=4217',
    `<%= config.bin %> keys get commits 'repo=git,sha=1a3e5f' --columns subject,body --json`,
    '<%= config.bin %> keys get commits --keys keys.txt --output rows.parquet',
    '<%= config.bin %> keys get commits --keys keys.txt --json',
  ];
  static override strict = false;
  static override args = {
    index: indexArg,
    key: Args.string({
      ignoreStdin: true,
      description: 'key as name=value,name=value; repeatable',
    }),
  };
  static override flags = {
    ...outputFlags,
    columns: Flags.string({
      aliases: ['fields', 'field'],
      description: 'columns of the table (all)',
      helpValue: 'A,B',
    }),
    'as-of': Flags.string({
      description: 'read this snapshot, branch or tag of the table (what the index follows)',
      helpValue: 'SNAPSHOT',
    }),
    key: Flags.string({ description: 'a key, as the argument', hidden: true, multiple: true }),
    keys: Flags.string({
      description: 'file with one key per line, - for stdin',
      helpValue: 'FILE',
    }),
  };

  override async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(KeysGet);
    const target = this.target(flags);
    const backend = await this.backend(flags);
    const index = await backend.describeIndex({ index: args.index });
    const texts = [...(argv as string[]).slice(1), ...(flags.key ?? [])];
    if (flags.keys !== undefined)
      texts.push(...(await readText(flags.keys)).split(/\r?\n/).filter(Boolean));
    if (texts.length === 0) {
      throw new LhsError('invalid_argument', 'the key is missing', {
        hint: `write the key as ${keyForm(index.key)}`,
      });
    }
    const keys = await keysOfTexts(texts, index, backend);
    const answer = await backend.getKeys({
      index: args.index,
      keys,
      columns: list(flags.columns),
      ...(flags['as-of'] === undefined ? {} : { as_of: flags['as-of'] }),
    });
    this.terminal.err(...partialRemarks(answer));
    if (answer.missing.length > 0) process.exitCode = NOT_FOUND_EXIT;
    await this.answer(target, {
      wire: () => answer,
      table: () => rowTable(answer, index),
      lines: () => answer.rows.flatMap((row) => this.#lines(row, target)),
    });
    if (target.format === 'json') return;
    for (const key of answer.missing) this.terminal.err(await noRow(key, index, backend));
    this.terminal.err(
      `${plural(answer.rows.length, 'row')} in ${duration(answer.took_ms)}, ` +
        `${bytes(answer.bytes_read ?? 0)} read`,
    );
  }

  #lines({ key, fields, newer }: KeyRow, target: OutputTarget): string[] {
    const style = this.styleOf(target);
    return [
      style.bold(printable(formatKey(key))),
      ...(newer ? [`  ${style.yellow(NEWER_ROW)}`] : []),
      ...this.#rowLines(fields, target),
      '',
    ];
  }

  /** A column a line; on a terminal long values go on below, under their beginning. */
  #rowLines(fields: Readonly<Record<string, unknown>>, target: OutputTarget): string[] {
    const entries = Object.entries(fields).map(
      ([name, value]) => [printable(name), value] as const,
    );
    const wide = Math.max(0, ...entries.map(([name]) => width(name))) + 4;
    const columns = this.widthOf(target);
    return entries.flatMap(([name, value]) => {
      const text = printable(typeof value === 'string' ? value : jsonText(value));
      const line = pad(`  ${name}`, wide) + text;
      return wrap(line, columns, ' '.repeat(wide));
    });
  }
}
