import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import type { Command, PrivateNetwork } from '../../support/private-network.ts';
import { CommandServer, clientOf } from './command-server.ts';

const FILES = [
  '.gitignore',
  'package.json',
  'fixtures/incidents.parquet',
  'fixtures/query-docs.ndjson',
  'fixtures/tickets.yaml',
];

const MOST_BYTES = 16 * 2 ** 20;
/** The folder of commands that have a process of their own. */
const ALONE = 'bin-alone';
/** The host of a network on which a page runs. */
export const HOST = 'reader';

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
  /** The search path on which all commands share a process. */
  readonly #path: string;
  readonly #background: ChildProcess[] = [];
  #network: PrivateNetwork | undefined;

  static async of(root: string): Promise<Clone> {
    const clone = new Clone(root);
    const client = clientOf(await clone.commands.listen());
    clone.#command('lhs', client);
    const npx = '[ "$1" = lhs ] || exit 9\nshift\nexport npm_command=exec\n';
    clone.#command('npx', npx + client);
    const alone = `exec '${process.execPath}' '${join(root, 'packages/cli/bin/lhs.js')}' "$@"`;
    clone.#command('lhs', alone, ALONE);
    clone.#command('npx', npx + alone, ALONE);
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
    this.#path = `${join(this.home, 'bin')}:${process.env.PATH}`;
    this.#env = {
      ...inherited,
      PATH: this.#path,
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, '.config'),
      COLUMNS: '100',
    };
    const lhs = join(root, 'packages/cli/bin/lhs.js');
    this.commands = new CommandServer(`'${process.execPath}' '${lhs}'`, this.#env);
  }

  #command(name: string, script: string, folder = 'bin'): void {
    const path = join(this.home, folder, name);
    mkdirSync(join(this.home, folder), { recursive: true });
    writeFileSync(path, `#!/bin/bash\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /**
   * From now on each command has a process of its own, on a host of this network: addresses of a
   * page, such as 127.0.0.1:8080, are free there. Undefined: on this machine, where they must be.
   */
  enter(network: PrivateNetwork | undefined): void {
    this.#network = network;
    this.#env.PATH = `${join(this.home, ALONE)}:${this.#path}`;
  }

  /** Stops what runs in the background, and leaves the network. Throws unless all exit with 0. */
  async leave(): Promise<void> {
    const codes = [];
    for (const child of this.#background.splice(0).reverse()) {
      const exit = once(child, 'exit');
      if (child.exitCode !== null || child.signalCode !== null) codes.push(child.exitCode);
      else if (child.kill('SIGTERM')) codes.push((await exit)[0]);
    }
    this.#env.PATH = this.#path;
    this.#network = undefined;
    if (codes.some((code) => code !== 0)) throw new Error(`exit codes ${codes.join(', ')}`);
  }

  #shell(script: string): Command {
    const command: Command = ['bash', '-euo', 'pipefail', '-c', script];
    return this.#network?.on(HOST, ['env', '--chdir', this.folder, ...command]) ?? command;
  }

  /** Runs a script of the shell; resolves to its stdout. Throws if one of its commands fails. */
  async run(script: string): Promise<string> {
    const options = { cwd: this.folder, env: this.#env, maxBuffer: MOST_BYTES };
    const [program, ...args] = this.#shell(script);
    const done = promisify(execFile)(program, args, options);
    done.child.stdin?.end();
    return (await done).stdout;
  }

  /** Starts a script whose last command runs until `leave`. Resolves when it prints its `ready`. */
  async start(script: string, ready: RegExp): Promise<void> {
    const lines = script.trimEnd().replaceAll('\\\n', ' ').split('\n');
    lines.push(`exec env ${lines.pop()}`); // so that signals reach the last command
    const [program, ...args] = this.#shell(lines.join('\n'));
    const child = spawn(program, args, { cwd: this.folder, env: this.#env, stdio: 'pipe' });
    this.#background.push(child);
    let printed = '';
    const exit = once(child, 'exit').then(([code]) => {
      throw new Error(`exit code ${code}: ${printed}`);
    });
    exit.catch(() => {});
    await Promise.race([
      exit,
      new Promise<void>((resolve) => {
        for (const output of [child.stdout, child.stderr]) {
          output.on('data', (bytes) => {
            printed += bytes;
            if (ready.test(printed)) resolve();
          });
        }
      }),
    ]);
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
