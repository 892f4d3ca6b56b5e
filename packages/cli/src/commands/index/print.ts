import { LhsError, type QueryTree } from '@lakehouse-search/contract';
import { jsonValue } from '@lakehouse-search/contract/internal';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { readText } from '../../files/read-text.ts';

export default class IndexPrint extends LhsCommand {
  static override summary = 'Print the query string of a tree (JSON).';
  static override examples = [
    `<%= config.bin %> index print '{"term": {"field": "title", "value": "timeout"}}'`,
    "<%= config.bin %> index parse 'timeout not retried' --syntax kql | <%= config.bin " +
      '%> index print - --syntax kql',
  ];
  static override args = {
    tree: Args.string({
      ignoreStdin: true,
      description: 'query tree as JSON, or - for stdin',
      required: true,
    }),
  };
  static override flags = {
    syntax: Flags.string({ options: ['default', 'kql'], description: 'query syntax' }),
    index: Flags.string({ description: 'check the fields against this index' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexPrint);
    const ast = readJson(args.tree === '-' ? await readText('-') : args.tree);
    const backend = await this.backend(flags);
    const answer = await backend.printQuery({
      index: flags.index,
      ast,
      syntax: flags.syntax as 'default' | 'kql' | undefined,
    });
    if (flags.json) return this.printJson(answer);
    this.print([answer.query]);
  }
}

function readJson(text: string): QueryTree {
  try {
    return jsonValue(text, 'the tree') as QueryTree;
  } catch (cause) {
    throw new LhsError('invalid_argument', (cause as Error).message, {
      hint: 'lhs index parse QUERY shows what a tree looks like',
      cause,
    });
  }
}
