import type { ModelDescription } from '@lakehouse-search/engine/internal';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { bytes, count } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

export default class ModelDescribe extends LhsCommand {
  static override summary = 'Show a model’s kind, dimensions, checksum and files.';
  static override examples = [
    '<%= config.bin %> model describe default',
    '<%= config.bin %> model describe ./models/all-MiniLM-L6-v2 --json',
  ];
  static override args = {
    model: Args.string({
      ignoreStdin: true,
      description: "a model's folder, or default",
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ModelDescribe);
    const { describeModel } = await import('@lakehouse-search/engine/internal');
    const model = await describeModel(args.model);
    if (flags.json) return this.printJson(model);
    const columns = [
      { title: 'file' },
      { title: 'size', align: 'right' as const },
      { title: 'sha256' },
    ];
    const rows = model.files.map((file) => [file.name, bytes(file.bytes), file.sha256]);
    this.print([...facts(model), '', ...table(columns, rows, this.terminal.width, this.style.dim)]);
  }
}

function facts(model: ModelDescription): string[] {
  const { name, version, kind, dims, checksum, folder, runtime } = model;
  const head = [`${name}${version ? ` ${version}` : ''}  ${kind}, ${dims} dimensions`];
  if (model.language) head.push(`language ${model.language}`);
  if (model.licence) head.push(model.licence);
  if (model.dtype !== undefined) head.push(`weights ${model.dtype}`);
  if (model.max_tokens !== undefined) head.push(`${count(model.max_tokens)} tokens a run`);
  const lines = [head.join(', '), `checksum ${checksum}`, `in ${folder}`];
  if (runtime === undefined) return lines;
  const there = runtime.installed
    ? 'installed'
    : `not installed: npm install ${runtime.package}@4.3.1`;
  return [...lines, `runs with ${runtime.package}, ${there}`];
}
