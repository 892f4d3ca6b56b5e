import type { DefinitionIssue } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { definitionArg, definitionFlag } from '../../files/definition-file.ts';
import { sourceFlags, sourceOverride } from '../../source/source-flags.ts';
import { plural } from '../../terminal/figures.ts';
import { issueLines } from '../../terminal/issue-lines.ts';
import { printable } from '../../terminal/text.ts';

const INVALID_EXIT = 2;

export default class IndexValidate extends LhsCommand {
  static override summary =
    'Check a definition; report every error with file, line and column (exit 2).';
  static override examples = [
    '<%= config.bin %> index validate incidents.yaml --warehouse ./lake',
    '<%= config.bin %> index validate incidents.yaml --github',
  ];
  static override args = { file: definitionArg };
  static override flags = {
    file: definitionFlag,
    github: Flags.boolean({
      description: 'print annotations of GitHub Actions',
      exclusive: ['json'],
    }),
    offline: Flags.boolean({ description: 'do not read the table' }),
    ...sourceFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexValidate);
    const { file, definition, baseDir } = await this.definitionOf(args.file, flags.file);
    const backend = await this.backend(flags);
    const issues = await backend.validateDefinition({
      definition,
      base_dir: baseDir,
      against_source: !flags.offline,
      source: await sourceOverride(flags),
    });
    const errors = issues.filter((i) => i.severity === 'error').length;
    if (errors > 0) process.exitCode = INVALID_EXIT;
    if (flags.json) return this.printJson({ file, valid: errors === 0, issues });
    if (flags.github) return this.#annotate(file, issues);
    this.print([...issueLines(file, issues, this.style), summary(file, issues.length, errors)]);
  }

  #annotate(file: string, issues: readonly DefinitionIssue[]): void {
    if (issues.length > 0) this.terminal.data(issues.map((i) => annotation(file, i)).join('\n'));
  }
}

function summary(file: string, all: number, errors: number): string {
  if (all === 0) return `${file} is valid`;
  return `${plural(errors, 'error')}, ${plural(all - errors, 'warning')} in ${file}`;
}

/** `::error file=…,line=…,col=…::message`: a workflow command escapes `%`, CR and LF. */
function annotation(file: string, issue: DefinitionIssue): string {
  const data = (text: string) =>
    printable(text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A'));
  const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  const place = `file=${property(file)},line=${issue.line},col=${issue.column}`;
  return `::${issue.severity} ${place}::${data(issue.message)}`;
}
