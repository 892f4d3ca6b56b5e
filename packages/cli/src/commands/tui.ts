import { LhsError, type SearchMode } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { onlyQuery, queryFlag } from '../search/query-flag.ts';
import { matchArgs, modeFlag } from '../search/search-flags.ts';

const LEFT_EXIT = 130;

export default class Tui extends LhsCommand {
  static override summary =
    'Search as you type on the whole screen; Enter prints the key (docs/tui.md).';
  static override examples = [
    `<%= config.bin %> tui demo-incidents`,
    `<%= config.bin %> keys get demo-incidents "$(<%= config.bin %> tui demo-incidents)"`,
    `<%= config.bin %> tui demo-incidents service:billing > keys.txt`,
    `<%= config.bin %> tui demo-incidents --mode hybrid`,
  ];
  static override args = {
    index: Args.string({
      ignoreStdin: true,
      description: 'name or alias of the index; without it, the screen lists the indexes',
    }),
    query: matchArgs.query,
  };
  static override flags = {
    query: queryFlag,
    mode: modeFlag,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Tui);
    if (flags.json) {
      throw new LhsError('invalid_argument', 'lhs tui has no --json: it prints one key per line', {
        hint: 'lhs search INDEX QUERY --json',
      });
    }
    const query = onlyQuery(args, flags);
    const backend = await this.backend(flags);
    const index = args.index ?? onlyIndex(await backend.listIndexes());
    // React decides when it is loaded how much it checks itself
    process.env.NODE_ENV ??= 'production';
    const { runTui } = await import('../tui/run-tui.ts');
    const dataDir = this.dataDir(flags);
    const mode = flags.mode as SearchMode | undefined;
    const outcome = await runTui(backend, { index, query, mode, dataDir });
    if (outcome.type !== 'taken') process.exitCode = LEFT_EXIT;
    else if (this.terminal.interactive) this.print(outcome.keys);
    else this.terminal.data(outcome.keys.join('\n'));
  }
}

/** The only index; undefined if there are several. Throws if there is none. */
function onlyIndex(indexes: readonly { readonly name: string }[]): string | undefined {
  if (indexes.length > 0) return indexes.length === 1 ? indexes[0].name : undefined;
  throw new LhsError('invalid_argument', 'there is no index to search yet', {
    hint: 'lhs demo creates a sample index',
  });
}
