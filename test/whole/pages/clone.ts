import { execFileSync } from 'node:child_process';
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

const FILES = [
  '.gitignore',
  'package.json',
  'fixtures/incidents.parquet',
  'fixtures/query-docs.ndjson',
  'fixtures/tickets.yaml',
];

/**
 * A fresh clone of the repository with a home of its own: `npm ci` is done, `lhs` and `npx lhs` run
 * the build of `root`.
 */
export class Clone {
  readonly home: string;
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(root: string) {
    this.home = mkdtempSync(join(tmpdir(), 'lhs-pages-'));
    this.folder = join(this.home, 'lhs');
    mkdirSync(join(this.folder, 'fixtures'), { recursive: true });
    for (const file of FILES) cpSync(join(root, file), join(this.folder, file));
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    this.#command('npm', '[ "$*" = ci ]');
    const lhs = `exec '${process.execPath}' '${join(root, 'packages/cli/bin/lhs.js')}' "$@"`;
    this.#command('lhs', lhs);
    this.#command('npx', `[ "$1" = lhs ] || exit 9\nshift\nexport npm_command=exec\n${lhs}`);
    const { LHS_DATA_DIR: _, LHS_URL: __, XDG_DATA_HOME: ___, ...set } = process.env;
    const { npm_command: ____, ...inherited } = set;
    this.#env = {
      ...inherited,
      PATH: `${join(this.home, 'bin')}:${process.env.PATH}`,
      HOME: this.home,
      XDG_CONFIG_HOME: this.home,
      COLUMNS: '100',
    };
    this.run(
      'git init --quiet && git add --all && git -c user.name=a -c user.email=b commit -qm a',
    );
  }

  #command(name: string, script: string): void {
    const path = join(this.home, 'bin', name);
    mkdirSync(join(this.home, 'bin'), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /** Runs a script of the shell and returns its stdout. Throws if one of its commands fails. */
  run(script: string): string {
    const stdio = 'pipe' as const;
    const options = { cwd: this.folder, env: this.#env, encoding: 'utf8' as const, stdio };
    return execFileSync('bash', ['-euo', 'pipefail', '-c', script], options);
  }

  /** What a terminal shows of a command, stdout and stderr, whatever its exit code. */
  shown(command: string): string {
    return this.run(`{ ${command}\n} 2>&1 || true`);
  }

  /** Runs a module in the folder and returns its stdout. */
  module(code: string): string {
    const file = join(this.folder, 'example.mts');
    writeFileSync(file, code);
    const output = this.run(`'${process.execPath}' '${file}'`);
    rmSync(file);
    return output;
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
