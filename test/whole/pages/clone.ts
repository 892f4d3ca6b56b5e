import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CommandServer, clientOf } from './command-server.ts';

const FILES = [
  '.gitignore',
  'package.json',
  'fixtures/incidents.parquet',
  'fixtures/query-docs.ndjson',
  'fixtures/tickets.yaml',
];

const MOST_BYTES = 16 * 2 ** 20;

/**
 * A fresh clone of the repository with a home of its own: `npm ci` is done, `lhs` and `npx lhs` run
 * the build of `root`.
 */
export class Clone {
  readonly home: string;
  readonly folder: string;
  /** Runs the commands. */
  readonly commands: CommandServer;
  readonly #env: NodeJS.ProcessEnv;

  static async of(root: string): Promise<Clone> {
    const clone = new Clone(root);
    const client = clientOf(await clone.commands.listen());
    clone.#command('lhs', client);
    const npx = `[ "$1" = lhs ] || exit 9\nshift\nexport npm_command=exec\n${client}`;
    clone.#command('npx', npx);
    await clone.run(
      'git init --quiet && git add --all && git -c user.name=a -c user.email=b commit -qm a',
    );
    return clone;
  }

  private constructor(root: string) {
    this.home = mkdtempSync(join(tmpdir(), 'lhs-pages-'));
    this.folder = join(this.home, 'lhs');
    mkdirSync(join(this.folder, 'fixtures'), { recursive: true });
    for (const file of FILES) cpSync(join(root, file), join(this.folder, file));
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    this.#command('npm', '[ "$*" = ci ]');
    const { LHS_DATA_DIR: _, LHS_URL: __, XDG_DATA_HOME: ___, ...set } = process.env;
    const { npm_command: ____, ...inherited } = set;
    this.#env = {
      ...inherited,
      PATH: `${join(this.home, 'bin')}:${process.env.PATH}`,
      HOME: this.home,
      XDG_CONFIG_HOME: this.home,
      COLUMNS: '100',
    };
    const lhs = join(root, 'packages/cli/bin/lhs.js');
    this.commands = new CommandServer(`'${process.execPath}' '${lhs}'`, this.#env);
  }

  #command(name: string, script: string): void {
    const path = join(this.home, 'bin', name);
    mkdirSync(join(this.home, 'bin'), { recursive: true });
    writeFileSync(path, `#!/bin/bash\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /** Runs a script of the shell; resolves to its stdout. Throws if one of its commands fails. */
  async run(script: string): Promise<string> {
    const options = { cwd: this.folder, env: this.#env, maxBuffer: MOST_BYTES };
    const done = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
    done.child.stdin?.end();
    return (await done).stdout;
  }

  /** What a terminal shows of a command, stdout and stderr, whatever its exit code. */
  shown(command: string): Promise<string> {
    return this.run(`{ ${command}\n} 2>&1 || true`);
  }

  /** Runs a module in the folder; resolves to its stdout. */
  async module(code: string): Promise<string> {
    const file = join(this.folder, 'example.mts');
    writeFileSync(file, code);
    const output = await this.run(`'${process.execPath}' '${file}'`);
    rmSync(file);
    return output;
  }

  dispose(): void {
    this.commands.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
