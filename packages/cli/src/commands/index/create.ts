import { LhsCommand } from '../../base-command.ts';
import { definitionArg, definitionFlag } from '../../files/definition-file.ts';

export default class IndexCreate extends LhsCommand {
  static override summary = 'Register an index from a definition; reindex then builds it.';
  static override examples = [
    '<%= config.bin %> index create incidents.yaml',
    '<%= config.bin %> index init ops.incidents --warehouse ./lake | <%= config.bin %> ' +
      'index create -',
  ];
  static override args = { file: definitionArg };
  static override flags = { file: definitionFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexCreate);
    const { definition, baseDir } = await this.definitionOf(args.file, flags.file);
    const backend = await this.backend(flags);
    const created = await backend.createIndex({ definition, base_dir: baseDir });
    if (flags.json) return this.printJson(created);
    this.print([`${created.index} created`, `next: lhs index reindex ${created.index}`]);
  }
}
