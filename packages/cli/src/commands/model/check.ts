import type { GoldenCheck, ModelCheck } from '@lakehouse-search/engine/internal';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { bytes, plural } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';
import { wrap } from '../../terminal/text.ts';

const UNAVAILABLE = 5;

export default class ModelCheckCommand extends LhsCommand {
  static override summary =
    'Check every file of a model against its checksum, and its golden texts against their vectors.';
  static override examples = [
    '<%= config.bin %> model check default',
    '<%= config.bin %> model check ./models/all-MiniLM-L6-v2 --json',
  ];
  static override args = {
    model: Args.string({
      ignoreStdin: true,
      description: "a model's folder, or default",
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ModelCheckCommand);
    const { checkModel } = await import('@lakehouse-search/engine/internal');
    const check = await checkModel(args.model);
    if (!check.ok) process.exitCode = UNAVAILABLE;
    if (flags.json) return this.printJson(check);
    const { width } = this.terminal;
    const columns = [{ title: 'file' }, { title: 'size', align: 'right' as const }, { title: '' }];
    this.print([
      headline(check),
      ...check.problems.flatMap((problem) => wrap(problem, width)),
      ...(check.hint === null ? [] : [`  ${check.hint}`]),
      '',
      ...table(columns, rows(check), width, this.style.dim),
    ]);
  }
}

const headline = ({ ok, model: { name, kind, dims } }: ModelCheck): string =>
  `${name}  ${kind}, ${dims} dimensions: ${ok ? 'intact' : 'damaged'}`;

function rows({ files, golden }: ModelCheck): string[][] {
  const found = files.map((file) => [file.name, bytes(file.bytes), file.ok ? 'ok' : 'differs']);
  return golden === null ? found : [...found, ['golden.json', '', goldenNote(golden)]];
}

function goldenNote({ texts, skipped, measure, worst, limit, ok }: GoldenCheck): string {
  const figure = measure === 'cosine' ? worst.toFixed(4) : worst.toExponential(1);
  const what = measure === 'cosine' ? 'lowest cosine' : 'largest difference';
  const left = skipped === 0 ? '' : `, ${skipped} left out`;
  const note = `${plural(texts, 'text')}${left}, ${what} ${figure}`;
  return ok ? `ok: ${note}` : `differs: ${note}, the limit is ${limit}`;
}
