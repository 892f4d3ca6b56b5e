import { LhsError } from '@lakehouse-search/contract';
import type { IndexFinding, SourceLayout } from '@lakehouse-search/engine';
import { sourceError } from '@lakehouse-search/engine/internal';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { openTable } from '@lakehouse-search/lake';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { settingValue } from '../config/settings.ts';
import { runChecks } from '../doctor/checks.ts';
import { findingLines } from '../doctor/finding-lines.ts';
import { LAYOUT_FILES, type LayoutFinding, layoutFindings } from '../doctor/layout.ts';
import { bytesOfRow, costsOf, type Prices, readPrices, usageLines } from '../doctor/usage-lines.ts';
import { type SourceFlags, sourceFlags, tableOf } from '../source/source-flags.ts';
import { bytes, count, plural } from '../terminal/figures.ts';
import { pad } from '../terminal/text.ts';

export default class Doctor extends LhsCommand {
  static override summary =
    'Check this machine, an index and its table, or the layout of a table (exit 1: a problem).';
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor demo-incidents',
    '<%= config.bin %> doctor --table ops.incidents --warehouse ./lake --json',
  ];
  static override args = {
    index: Args.string({
      ignoreStdin: true,
      description: 'index that is checked, with its table, instead of this machine',
    }),
  };
  static override flags = {
    table: Flags.string({
      description: 'table as namespace.table, instead of an index (with --warehouse or --catalog)',
      helpValue: 'TABLE',
    }),
    ...sourceFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Doctor);
    const source = { warehouse: flags.warehouse, catalog: flags.catalog, path: flags.path };
    const named = [flags.table, ...Object.values(source)].some((value) => value !== undefined);
    if (args.index !== undefined && named) {
      throw new LhsError('invalid_argument', `index "${args.index}" already determines the table`, {
        hint: 'remove --table, --warehouse, --catalog and --path, or the index',
      });
    }
    if (args.index !== undefined) {
      const prices = readPrices(settingValue(this.settings(flags), 'prices'));
      const backend = await this.localBackend(flags);
      return this.#printIndex(backend, args.index, prices, flags.json);
    }
    if (named) return this.#printLayout(await layoutAt(source, flags.table), null, flags.json);
    return this.#printChecks(this.dataDir(flags), flags.json);
  }

  async #printIndex(
    backend: LocalEngine,
    index: string,
    prices: Prices,
    json: boolean,
  ): Promise<void> {
    const findings = await backend.diagnose({ index });
    if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1;
    if (findings.some(({ kind }) => kind === 'source')) {
      if (json) return this.printJson({ ok: false, index, findings });
      return this.print(findingLines(findings, this.style));
    }
    const found = await backend.sourceLayout({ index }, LAYOUT_FILES);
    const usage = await backend.usage({ index });
    const { rows } = found.layout;
    if (!json) this.print(usageLines(usage, prices, rows));
    const more = { usage, bytes_of_row: bytesOfRow(usage, rows), ...costsOf(usage, prices) };
    this.#printLayout(found, index, json, findings, more);
  }

  async #printChecks(dataDir: string, json: boolean): Promise<void> {
    const checks = await runChecks(dataDir, this.config.version);
    const well = checks.every((c) => c.ok);
    if (!well) process.exitCode = 1;
    if (json) return this.printJson({ ok: well, version: this.config.version, checks });
    const { style } = this;
    this.print(
      checks.flatMap((c) => {
        const state = c.ok ? style.green('ok ') : style.red('bad');
        const line = `${pad(c.name, 8)}  ${state}  ${c.detail}`;
        return c.advice === undefined ? [line] : [line, `${' '.repeat(15)}${c.advice}`];
      }),
    );
  }

  #printLayout(
    { table, snapshot, layout }: SourceLayout,
    index: string | null,
    json: boolean,
    own: readonly IndexFinding[] = [],
    more: object = {},
  ) {
    const slow = layoutFindings(layout);
    if (json) {
      const findings = [...own, ...slow];
      const answer = {
        ok: slow.length === 0 && own.every(({ level }) => level === 'note'),
        ...(index === null ? {} : { index }),
        table,
      };
      return this.printJson({
        ...answer,
        snapshot: textOf(snapshot),
        ...figures(layout),
        ...more,
        findings,
      });
    }
    const { looked, files, rows } = layout;
    const of = looked.length < files ? `, ${count(looked.length)} checked` : '';
    this.print([
      `${table}: ${plural(rows, 'row')} in ${plural(files, 'data file')}${of}; ` +
        `${bytes(mostBytes(layout))} of pages are read for one row`,
      ...(slow.length === 0 ? ['the layout is well suited to reading single rows'] : []),
      ...slow.flatMap(({ detail, advice }: LayoutFinding) => [
        `${this.style.yellow('slow')}  ${detail}`,
        `      ${advice}`,
      ]),
      ...findingLines(own, this.style),
    ]);
  }
}

const textOf = (id: bigint | null): string | null => (id === null ? null : String(id));

const mostBytes = ({ looked }: SourceLayout['layout']): number =>
  Math.max(0, ...looked.map(({ rowBytes }) => rowBytes));

function figures(layout: SourceLayout['layout']) {
  const { files, rows, looked } = layout;
  return {
    files,
    rows,
    files_looked_at: looked.length,
    largest_row_group: {
      rows: Math.max(0, ...looked.map(({ groupRows }) => groupRows)),
      bytes: Math.max(0, ...looked.map(({ groupBytes }) => groupBytes)),
    },
    row_bytes: mostBytes(layout),
  };
}

async function layoutAt(source: SourceFlags, name: string | undefined): Promise<SourceLayout> {
  try {
    const table = await openTable(await tableOf(source, name));
    const snapshot = table.currentSnapshotId;
    const layout = await table.layout(snapshot, LAYOUT_FILES).finally(() => table.close());
    return { table: table.name, snapshot, layout };
  } catch (error) {
    throw sourceError(error);
  }
}
