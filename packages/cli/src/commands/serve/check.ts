import { LhsError } from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { plural } from '../../terminal/figures.ts';

export default class ServeCheck extends LhsCommand {
  static override summary = 'Check the configuration file of a server.';
  static override examples = [
    '<%= config.bin %> serve check server.yaml',
    '<%= config.bin %> serve check --schema',
  ];
  static override args = {
    file: Args.string({ ignoreStdin: true, description: 'configuration file (YAML)' }),
  };
  static override flags = {
    schema: Flags.boolean({ description: 'print the JSON Schema of the file' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ServeCheck);
    const lib = await import('@lakehouse-search/server');
    if (flags.schema) return this.printJson(lib.configJsonSchema());
    if (args.file === undefined) {
      throw new LhsError('invalid_argument', 'name a configuration file, or use --schema');
    }
    const { values, names, issuers } = lib.readServerConfig(args.file);
    lib.requireClosed(lib.serverOptions(values, process.env, this.dataDir(flags)));
    if (flags.json) return this.printJson({ values, names, issuers });
    const { catalogs, roots, models } = names;
    const named = (what: object, noun: string) => plural(Object.keys(what).length, noun);
    this.print([
      `${args.file} is valid: ${named(catalogs, 'catalog')}, ${named(roots, 'root')}, ` +
        `${named(models, 'model')}, ${plural(issuers.length, 'issuer')}`,
    ]);
  }
}
