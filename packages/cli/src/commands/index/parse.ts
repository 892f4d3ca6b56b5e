import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';

export default class IndexParse extends LhsCommand {
  static override summary = 'Print the tree of a query as JSON.';
  static override examples = [
    `<%= config.bin %> index parse 'title:"connection reset" -resolved:true'`,
    `<%= config.bin %> index parse 'not resolved:true' --syntax kql --index demo-incidents`,
  ];
  static override args = {
    query: Args.string({ ignoreStdin: true, description: 'the query', required: true }),
  };
  static override flags = {
    syntax: Flags.string({ options: ['default', 'kql'], description: 'query syntax' }),
    operator: Flags.string({
      options: ['or', 'and'],
      description: 'operator that joins the clauses of a list',
    }),
    index: Flags.string({ description: 'check the fields against this index' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexParse);
    const backend = await this.backend(flags);
    const { ast } = await backend.parseQuery({
      index: flags.index,
      query: args.query,
      syntax: flags.syntax as 'default' | 'kql' | undefined,
      default_operator: flags.operator as 'or' | 'and' | undefined,
    });
    this.printJson(ast);
  }
}
