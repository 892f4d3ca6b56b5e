import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Runs README.md and docs/getting-started.md in a folder like a fresh clone after `npm ci`, block by
 * block from the top. LHS_UPDATE_PAGES=1 writes what the commands print into the pages.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lhs-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const UPDATE = process.env.LHS_UPDATE_PAGES === '1';
const BLOCK = /^( *)```(sh|console|ts)\n([\s\S]*?)^ *```$/gm;

/** A clone with its own home, where `npx lhs` is the build of this checkout and `npm ci` is done. */
class Clone {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(name: string) {
    this.folder = join(folder, name, 'lhs');
    const bin = join(folder, name, 'bin');
    for (const path of [bin, join(this.folder, 'fixtures')]) mkdirSync(path, { recursive: true });
    const shim = (command: string, script: string) => {
      writeFileSync(join(bin, command), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, command), 0o755);
    };
    const lhs = join(root, 'packages/cli/bin/lhs.js');
    shim('npm', '[ "$*" = ci ]');
    shim('npx', `[ "$1" = lhs ] || exit 9\nshift\nexec '${process.execPath}' '${lhs}' "$@"`);
    for (const file of ['.gitignore', 'package.json', 'fixtures/incidents.parquet']) {
      cpSync(join(root, file), join(this.folder, file));
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    const { LHS_DATA_DIR: _, LHS_URL: __, XDG_DATA_HOME: ___, ...inherited } = process.env;
    const home = join(folder, name);
    const path = `${bin}:${process.env.PATH}`;
    this.#env = { ...inherited, PATH: path, HOME: home, XDG_CONFIG_HOME: home, COLUMNS: '100' };
    this.run(
      'git init --quiet && git add --all && git -c user.name=a -c user.email=b commit -qm a',
    );
  }

  /** What a script of the shell prints on stdout; throws where a command of it fails. */
  run(script: string): string {
    const options = { cwd: this.folder, env: this.#env, encoding: 'utf8' as const };
    return execFileSync('bash', ['-euo', 'pipefail', '-c', script], options);
  }

  /** Runs a module of the folder. */
  module(code: string): string {
    const file = join(this.folder, 'example.mts');
    writeFileSync(file, code);
    const output = this.run(`'${process.execPath}' '${file}'`);
    rmSync(file);
    return output;
  }
}

/** Times, sizes, rates and snapshots differ from run to run. */
const masked = (text: string): string =>
  text.replace(/\d{4}…\d{4}/g, '…').replace(/\d[\d.,]*k? (ms|s|rows\/s|kB|MB)\b/g, '# $1');

interface Block {
  readonly kind: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(BLOCK)].map(([, indent = '', kind = '', text = '']) => ({
    kind,
    text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Runs the `$ ` lines of a block and puts what they print under them. */
function printed(clone: Clone, block: string): string {
  const commands = block.split('\n').filter((line) => line.startsWith('$ '));
  return commands.map((line) => `${line}\n${clone.run(line.slice(2))}`).join('');
}

function describePage(path: string): void {
  describe(path, () => {
    const page = readFileSync(join(root, path), 'utf8');
    const blocks = blocksOf(page);
    let clone: Clone;
    beforeAll(() => {
      clone = new Clone(path.replaceAll('/', '-'));
    });

    it.each(blocks.map((block, i) => [`block ${i + 1}: ${block.text.split('\n')[0]}`, block]))(
      '%s',
      (_, { kind, text }) => {
        if (kind === 'sh') return void clone.run(text);
        if (kind === 'ts') return expect(clone.module(text)).toMatch(/^(\d+\.\d+ \d+\n){5}$/);
        const now = printed(clone, text);
        if (UPDATE) {
          const whole = readFileSync(join(root, path), 'utf8');
          writeFileSync(
            join(root, path),
            whole.replace(text, () => now),
          );
        } else expect(masked(text)).toBe(masked(now));
      },
    );

    it('has blocks, and leaves nothing in the clone that git does not ignore', () => {
      expect(blocks.length).toBeGreaterThan(4);
      expect(clone.run('git status --porcelain')).toBe('');
    });

    it('writes npx before lhs wherever a block runs it', () => {
      const typed = blocks.flatMap(({ kind, text }) =>
        text.split('\n').filter((line) => kind === 'sh' || line.startsWith('$ ')),
      );
      expect(typed.length).toBeGreaterThan(5);
      for (const line of typed) expect(line).not.toMatch(/(?<!npx )\blhs [a-z]/);
    });
  });
}

for (const path of ['README.md', 'docs/getting-started.md']) describePage(path);
