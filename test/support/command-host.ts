/**
 * A process that runs commands one after another: the program of `lhs`, loaded once. Each command
 * has its own environment, folder, input and outputs. The process ends with the one that forked it.
 */
import type { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A command to run. `env` is its whole environment. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: string;
}

/** How a command ended. `written`: in order, the output (1 or 2) and what was written, in base64. */
export interface HostedEnd {
  readonly code: number;
  readonly written: readonly (readonly [output: 1 | 2, bytes: string])[];
}

type Run = (program: URL) => Promise<void>;
const bin = (name: string) => new URL(`../../packages/cli/bin/${name}`, import.meta.url);
const { programFolder } = (await import(bin('program-folder.js').href)) as {
  programFolder: () => URL;
};
const LHS = fileURLToPath(bin('lhs.js'));
const program = programFolder();
const { run } = (await import(new URL('main.js', program).href)) as { run: Run };

/** Passes on what is written to a stream, until the returned function is called. */
function captured(stream: NodeJS.WriteStream, take: (chunk: Buffer) => void): () => void {
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    take(Buffer.from(chunk as Uint8Array));
    const done = more.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
  };
}

/** The returned function gives an emitter the listeners that it has now. */
function listenersOf(emitter: EventEmitter): () => void {
  const before = new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]));
  return () => {
    for (const name of new Set([...before.keys(), ...emitter.eventNames()])) {
      const [then, now] = [before.get(name) ?? [], emitter.rawListeners(name)];
      if (then.length === now.length && then.every((one, i) => one === now[i])) continue;
      emitter.removeAllListeners(name);
      for (const one of then) emitter.on(name, one as () => void);
    }
  };
}

/** Replaces the environment; a variable that stays is not touched. */
function enter({ env, cwd, args, input }: HostedCommand): void {
  const all = { ...env, OCLIF_DISABLE_ENGINE_WARNING: '1' };
  for (const name of Object.keys(process.env)) if (!(name in all)) delete process.env[name];
  for (const [name, value] of Object.entries(all)) {
    if (process.env[name] !== value) process.env[name] = value;
  }
  process.chdir(cwd);
  process.argv.splice(1, process.argv.length, LHS, ...args);
  process.exitCode = 0;
  const value = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  Object.defineProperty(process, 'stdin', { value, configurable: true });
}

const { exit } = process;

/** Runs the program; resolves at its end, or when it calls `process.exit`. */
function toItsEnd(): Promise<number> {
  return new Promise((resolve) => {
    process.exit = (code) => {
      resolve(Number(code ?? process.exitCode ?? 0));
      // as the error that ends a command of oclif
      throw Object.assign(new Error('exit'), { code: 'EEXIT', oclif: { exit: code } });
    };
    void run(program).then(() => setImmediate(() => resolve(Number(process.exitCode ?? 0))));
  });
}

async function runHosted(command: HostedCommand): Promise<HostedEnd> {
  const written: [1 | 2, string][] = [];
  const to = (output: 1 | 2) => (chunk: Buffer) => written.push([output, chunk.toString('base64')]);
  const restore = [process as EventEmitter, process.stdout, process.stderr].map(listenersOf);
  enter(command);
  restore.push(captured(process.stdout, to(1)), captured(process.stderr, to(2)));
  try {
    return { code: await toItsEnd(), written };
  } finally {
    process.exit = exit;
    for (const one of restore) one();
  }
}

process.on('disconnect', () => process.exit());
process.on('message', (command: HostedCommand) => {
  void runHosted(command).then((end) => process.send?.(end));
});
