import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { indexTypes } from '../../search/lines/index-types.ts';
import { escapedControls } from '../../terminal/json-text.ts';

export default class IndexTypes extends LhsCommand {
  static override summary = 'Print TypeScript that types searches of an index.';
  static override examples = [
    '<%= config.bin %> index types demo-incidents > incidents.ts',
    '<%= config.bin %> index types demo-incidents --url http://127.0.0.1:8080 > incidents.ts',
  ];
  static override args = {
    index: indexArg,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexTypes);
    const index = await (await this.backend(flags)).describeIndex({ index: args.index });
    const library = this.isRemote(flags) ? 'client/rest' : 'engine';
    const types = indexTypes(index, `@lakehouse-search/${library}`);
    if (flags.json) return this.printJson({ types });
    this.terminal.data(escapedControls(types));
  }
}
