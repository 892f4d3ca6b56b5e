import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HostedCommands, needsProcess, writtenTo } from '../../../test/support/hosted-commands.ts';

/** The command as `npx lhs` runs it: what `npm run build` has made of the sources. */
export const LHS = fileURLToPath(new URL('../bin/lhs.js', import.meta.url));
export const TABLES = fileURLToPath(new URL('../../../fixtures/tables/', import.meta.url));

/** What a process said and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** As a process of its own, not in the one that runs the commands of a home. */
  readonly alone?: boolean;
}

/** A home of its own: a temporary folder with a data folder and settings of nobody. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'lhs-cli-'));
  /** The service that runs commands without an LHS_URL of their own; empty: the embedded engine. */
  service = '';
  #hosted: HostedCommands | undefined;
  #runs = 0;

  get runs(): number {
    return this.#runs;
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  #settings({ cwd = this.folder, env = {} }: RunOptions) {
    const { NO_COLOR: _, FORCE_COLOR: __, LHS_URL: ___, COLUMNS: ____, ...set } = process.env;
    const { npm_command: _____, ...inherited } = set;
    return {
      cwd,
      env: {
        ...inherited,
        LHS_DATA_DIR: this.path('data'),
        LHS_URL: this.service,
        XDG_CONFIG_HOME: this.path('config'),
        XDG_CACHE_HOME: this.path('cache'),
        // compiled once for all homes
        NODE_COMPILE_CACHE: join(tmpdir(), 'lhs-test-compiled'),
        ...env,
      },
    };
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    this.#runs++;
    return spawn(process.execPath, [LHS, ...args], this.#settings(options));
  }

  /** Runs `lhs` to its end: in a process that runs command after command, or alone. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    if (options.alone === true || needsProcess(args, options.env ?? {})) {
      const child = this.start(args, options);
      child.stdin?.end(options.input ?? '');
      return ended(child);
    }
    const { cwd, env } = this.#settings(options);
    this.#hosted ??= new HostedCommands(env);
    const end = await this.#hosted.run(args, cwd, env, options.input);
    const [bytes, err] = [writtenTo(end, 1), writtenTo(end, 2)];
    return { code: end.code, bytes, stdout: bytes.toString(), stderr: err.toString() };
  }

  /** Runs `lhs … --json` and answers what it printed; throws where it failed. */
  async json<T>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    const done = await this.run([...args, '--json'], options);
    if (done.code !== 0) throw new Error(`lhs ${args.join(' ')}: ${done.code}\n${done.stderr}`);
    return JSON.parse(done.stdout) as T;
  }

  dispose(): void {
    this.#hosted?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits for the end of a process and takes what it says. */
export function ended(child: ChildProcess): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const bytes = Buffer.concat(out);
      resolve({ code, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

/** The lines of a text, without the last line end. */
export const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');
