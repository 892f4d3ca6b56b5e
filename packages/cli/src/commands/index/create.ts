import { LhsCommand } from '../../base-command.ts';
import { definitionArg, definitionFlag } from '../../files/definition-file.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { issueLines } from '../../terminal/issue-lines.ts';

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
    const { file, definition, baseDir } = await this.definitionOf(args.file, flags.file);
    const backend = await this.backend(flags);
    const created = await backend.createIndex({ definition, base_dir: baseDir });
    if (flags.json) return this.printJson(created);
    // a caller who may not read the table learns it from the build
    const issues = await backend
      .validateDefinition({ definition, base_dir: baseDir, against_source: true })
      .catch(() => []);
    const warnings = issues.map((issue) => ({ ...issue, severity: 'warning' as const }));
    this.terminal.err(...issueLines(file, warnings, this.style));
    const isSound = issues.every(({ severity }) => severity !== 'error');
    const next = isSound
      ? `${created.published === undefined ? 'reindex' : 'sync'} ${created.index}`
      : `apply ${shellWord(file)}, once it is valid`;
    this.print([`${created.index} created`, `next: lhs index ${next}`]);
  }
}
