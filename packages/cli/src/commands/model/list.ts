import type { ListedModel } from '@lakehouse-search/engine/internal';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { bytes } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

const CHECKSUM_CHARS = 12;

export default class ModelList extends LhsCommand {
  static override summary = 'List the included model and the models in a folder.';
  static override examples = [
    '<%= config.bin %> model list',
    '<%= config.bin %> model list ./models --json',
  ];
  static override args = {
    folder: Args.string({ ignoreStdin: true, description: 'a folder with folders of models' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ModelList);
    const { listModels } = await import('@lakehouse-search/engine/internal');
    const models = await listModels(args.folder);
    if (flags.json) return this.printJson({ models });
    const columns = [
      { title: 'model' },
      { title: 'kind' },
      { title: 'dims', align: 'right' as const },
      { title: 'size', align: 'right' as const },
      { title: 'checksum' },
    ];
    this.print(table(columns, models.map(cells), this.terminal.width, this.style.dim));
  }
}

function cells(listed: ListedModel): string[] {
  if ('error' in listed) return [listed.model, 'broken', '', '', listed.error];
  const { model, kind, dims, checksum } = listed;
  return [model, kind, String(dims), bytes(listed.bytes), checksum.slice(0, CHECKSUM_CHARS)];
}
