import { resolve } from 'node:path';
import type { ClientName, Reach } from '@lakehouse-search/mcp';
import { Flags } from '@oclif/core';
import { type GlobalFlags, LhsCommand } from '../../base-command.ts';
import { storageFlag } from '../../serve/serve-flags.ts';

const CLIENTS: readonly ClientName[] = ['claude', 'vscode', 'cursor', 'codex', 'gemini'];

export default class McpConfig extends LhsCommand {
  static override summary = 'Print the configuration with which an agent reaches the indexes.';
  static override description =
    'Over standard input and output the agent starts "lhs mcp" on this data folder, by the paths ' +
    'of this Node and this lhs. With --http it calls the service at --url itself.';
  static override examples = [
    '<%= config.bin %> mcp config --client claude',
    '<%= config.bin %> mcp config --client vscode --http --url https://search.example.com --token',
  ];
  static override flags = {
    client: Flags.string({
      description: 'program with the agent',
      options: CLIENTS,
      required: true,
    }),
    storage: storageFlag,
    http: Flags.boolean({ description: 'reach the service at --url over HTTP' }),
    token: Flags.boolean({ description: 'with --http: the service requires a token' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(McpConfig);
    const { clientConfig } = await import('@lakehouse-search/mcp');
    const { file, config, text } = clientConfig(
      flags.client as ClientName,
      await this.#reach(flags),
    );
    if (flags.json) return this.printJson({ file, config });
    this.terminal.err(`put this into ${file}:`);
    this.terminal.data(text);
  }

  /** The flags with which the agent's process finds the indexes, wherever it runs. */
  async #place(storage: string | undefined, url: string | undefined, flags: GlobalFlags) {
    if (storage !== undefined) return ['--storage', await this.atLocation(storage)];
    return url === undefined ? ['--data-dir', this.dataDir(flags)] : ['--url', url];
  }

  async #reach(flags: {
    readonly http: boolean;
    readonly token: boolean;
    readonly url?: string;
    readonly storage?: string;
    readonly 'data-dir'?: string;
  }): Promise<Reach> {
    const url = this.remoteUrl(flags);
    if (flags.http) {
      const { LhsError } = await import('@lakehouse-search/contract');
      if (url !== undefined) {
        return { kind: 'http', url: new URL('/mcp', url).href, token: flags.token };
      }
      throw new LhsError('invalid_argument', '"--http" needs the address of a service: --url');
    }
    const place = await this.#place(flags.storage, url, flags);
    // a program with an agent often has another PATH, or none
    const program = resolve(this.config.root, '../bin/lhs.js');
    return { kind: 'stdio', command: process.execPath, args: [program, 'mcp', ...place] };
  }
}
