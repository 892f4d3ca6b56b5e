import { dirname, resolve } from 'node:path';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { readText } from '../../files/read-text.ts';

export default class IndexCreate extends LhsCommand {
  static override summary = 'Register an index from a definition; reindex then builds it.';
  static override examples = [
    '<%= config.bin %> index create -f incidents.yaml',
    '<%= config.bin %> index init ops.incidents --warehouse ./lake | <%= config.bin %> index create -f -',
  ];
  static override flags = {
    file: Flags.string({
      char: 'f',
      description: 'definition (YAML), - for stdin',
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(IndexCreate);
    const definition = await readText(flags.file);
    const baseDir = flags.file === '-' ? process.cwd() : dirname(resolve(flags.file));
    const backend = await this.backend(flags);
    const created = await backend.createIndex({ definition, baseDir });
    if (flags.json) return this.printJson(created);
    this.print([`${created.index} created`, `next: lhs index reindex ${created.index}`]);
  }
}
