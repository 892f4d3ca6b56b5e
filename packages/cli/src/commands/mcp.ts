import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { list } from '../search/flag-values.ts';
import { storageFlag } from '../serve/serve-flags.ts';

/** Refuses to serve a folder without data: a client would see no index, and nobody why. */
function requireDataFolder(folder: string): void {
  if (existsSync(join(folder, 'registry.db'))) return;
  throw new LhsError('invalid_argument', `"${folder}" is no data folder: it has no registry.db`, {
    hint: 'name the folder with --data-dir or LHS_DATA_DIR, or create an index there first',
  });
}

/** The options of a server for these flags. */
function toolOptions(flags: { readonly tools?: string; readonly 'tool-prefix'?: string }) {
  const { tools, 'tool-prefix': toolPrefix } = flags;
  return {
    ...(tools === undefined ? {} : { tools: list(tools) ?? [] }),
    ...(toolPrefix === undefined ? {} : { toolPrefix }),
  };
}

export default class Mcp extends LhsCommand {
  static override summary =
    'Serve the indexes to an agent over standard input and output (Model Context Protocol).';
  static override description =
    'An agent starts this command; "lhs mcp config" prints how. It only reads. Without --url it ' +
    'needs no server. LHS_TOKEN is the token of the service at --url.';
  static override examples = [
    '<%= config.bin %> mcp --data-dir ./data',
    '<%= config.bin %> mcp --url https://search.example.com',
    '<%= config.bin %> mcp --storage s3://bucket/prefix',
    '<%= config.bin %> mcp config --client claude',
  ];

  static override flags = {
    storage: storageFlag,
    tools: Flags.string({
      description: 'serve these tools alone, separated by commas (all)',
      helpValue: 'A,B',
    }),
    'tool-prefix': Flags.string({
      description: 'begin the name of each tool with this, such as lhs_',
      helpValue: 'TEXT',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    if (flags.json) {
      throw new LhsError('invalid_argument', 'lhs mcp has no --json: it speaks JSON-RPC');
    }
    const { storage } = flags;
    const isRemote = storage === undefined && this.remoteUrl(flags) !== undefined;
    if (storage !== undefined) await this.atLocation(storage);
    else if (!isRemote) requireDataFolder(this.dataDir(flags));
    const [{ serveStdio }, backend, publicError] = await Promise.all([
      import('@lakehouse-search/mcp'),
      this.backend(flags, {}),
      isRemote
        ? undefined
        : import('@lakehouse-search/engine/internal').then((all) => all.sourceError),
    ]);
    const { listIndexes: list, describeIndex: describe } = backend;
    const agents = { ...backend, indexes: { list, describe } };
    const connection = await serveStdio(
      { backend: agents, version: this.config.version, publicError, ...toolOptions(flags) },
      {
        input: process.stdin,
        output: process.stdout,
        report: (error) => this.terminal.err(`mcp: ${error.message}`),
      },
    );
    const { signal, release } = this.interruptible();
    signal.addEventListener('abort', () => void connection.close(), { once: true });
    await connection.ended;
    release();
    // an open pipe would keep the process
    process.stdin.destroy();
  }
}
