import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HostedCommand, HostedEnd } from './command-host.ts';

const HOST = fileURLToPath(new URL('command-host.ts', import.meta.url));

/** Variables that a program reads once, when it is loaded. */
const READ_ONCE = /^(NODE_|LHS_MMAP|FORCE_COLOR|NO_COLOR|LANG|LC_)/;
/** Arguments of commands that are about their process, or run until they are stopped. */
const ALONE = new Set(
  '--version -v -V --debug --follow --wait --detach serve task tui jobs'.split(' '),
);

/** Whether a command needs a process of its own; `env` is what its environment has besides. */
export function needsProcess(args: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return args.some((one) => ALONE.has(one)) || Object.keys(env).some((one) => READ_ONCE.test(one));
}

/**
 * Runs commands one after another in one process that has loaded the program once: starting a
 * process takes most of the time of a short command.
 */
export class HostedCommands {
  readonly #env: NodeJS.ProcessEnv;
  #host: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `env`: the environment that the process starts with. */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Runs a command after those before it. Throws if the process ends. */
  run(
    args: readonly string[],
    cwd: string,
    env: NodeJS.ProcessEnv,
    input = '',
  ): Promise<HostedEnd> {
    const set = Object.entries(env).filter(([, value]) => value !== undefined);
    const all = Object.fromEntries(set) as HostedCommand['env'];
    const next = this.#last.then(() => {
      this.#host ??= fork(HOST, { env: this.#env, stdio: 'inherit', execArgv: [] });
      return endOf(this.#host, { args, env: all, cwd, input });
    });
    this.#last = next.catch(() => {});
    return next;
  }

  /** Lets the process end. */
  dispose(): void {
    this.#host?.disconnect();
    this.#host = undefined;
  }
}

function endOf(host: ChildProcess, command: HostedCommand): Promise<HostedEnd> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null) =>
      reject(new Error(`lhs ${command.args.join(' ')}: the process of commands ended (${code})`));
    host.once('exit', died);
    host.once('message', (end: HostedEnd) => {
      host.off('exit', died);
      resolve(end);
    });
    host.send(command);
  });
}

/** What a command wrote to an output: 1 or 2. */
export const writtenTo = ({ written }: HostedEnd, output: 1 | 2): Buffer =>
  Buffer.concat(
    written.filter(([to]) => to === output).map(([, text]) => Buffer.from(text, 'base64')),
  );
