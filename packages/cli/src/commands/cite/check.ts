import { LhsError } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { printable } from '../../terminal/text.ts';

const CHANGED_EXIT = 5;

export default class CiteCheck extends LhsCommand {
  static override summary = 'Check citations against the table (exit 5 unless all are unchanged).';
  static override description =
    'A citation names an index, a row, columns and a hash of their values. Agents get one with ' +
    'each hit (docs/agents.md).';
  static override examples = [
    `<%= config.bin %> cite check 'lhs://incidents@4711/id=4217?columns=id,title#0f3a…'`,
    `<%= config.bin %> cite check "$CITATION" "$OTHER" --json`,
  ];
  static override strict = false;
  static override args = {
    citation: Args.string({ ignoreStdin: true, description: 'citation; repeatable' }),
  };

  override async run(): Promise<void> {
    const { argv, flags } = await this.parse(CiteCheck);
    if (argv.length === 0) {
      throw new LhsError('invalid_argument', 'the citation is missing', {
        hint: `quote it for the shell: 'lhs://…'`,
      });
    }
    const { checkCitations } = await import('@lakehouse-search/mcp');
    const backend = await this.backend(flags);
    const { listIndexes: list, describeIndex: describe } = backend;
    const agents = { ...backend, indexes: { list, describe } };
    const checks = await checkCitations(argv as string[], { backend: agents, call: {} });
    if (checks.some(({ status }) => status !== 'unchanged')) process.exitCode = CHANGED_EXIT;
    if (flags.json) return this.printJson({ checks });
    this.print(
      checks.map(({ status, citation, reason }) => {
        const why = reason === undefined ? '' : `  ${printable(reason)}`;
        return `${status.padEnd(10)}  ${printable(citation)}${why}`;
      }),
    );
  }
}
