import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type errorBody, LhsError } from '@lakehouse-search/contract';
import type { RunTasks } from '@lakehouse-search/engine/internal';
import { programFile } from '../files/program-file.ts';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { errorOf } from './background-job.ts';

/** Time for processes to end after a signal, before they are killed. */
const END_MS = 10_000;
/** The command of `--runner local`; it prints its errors as results. */
const TASK = ['build', 'task', '--json'];

/** A process in a separate group, so that Ctrl-C in the terminal reaches only its parent. */
type Child = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
const start = (command: string, args: readonly string[], shell = false): Child =>
  spawn(command, args, { detached: true, shell, stdio: ['pipe', 'pipe', 'inherit'] });

/** What runners have. */
interface TaskHost {
  /** Processes of the local runner. */
  readonly processes: number;
  /** Receives messages of Spark. */
  readonly tell: (line: string) => void;
}

/** The runner of that name. Throws invalid_argument for a command that is missing, or too much. */
export function runnerOf(
  name: string,
  command: string | undefined,
  { processes, tell }: TaskHost,
): RunTasks {
  if (name === 'spark') return sparkTasks(command ?? 'spark-submit', tell);
  if (name === 'command' && command !== undefined) return commandTasks(command);
  if (name === 'local' && command === undefined) return localTasks(processes);
  throw new LhsError('invalid_argument', '--runner command and --command need each other');
}

/** Runs tasks by processes of this machine, each of which gets one after the other. */
const localTasks =
  (processes: number): RunTasks =>
  (tasks, { signal }) => {
    const left = tasks.values();
    const args = [...process.execArgv, process.argv[1], ...TASK];
    const children = Array.from({ length: Math.min(processes, tasks.length) }, () =>
      start(process.execPath, args),
    );
    const feed = ({ stdin }: Child) => {
      const { value } = left.next();
      if (value === undefined) stdin.end();
      else stdin.write(`${value}\n`);
    };
    children.forEach(feed);
    return resultsOf(children, feed, signal);
  };

/** Runs tasks by a command of the shell, which gets a line for each and prints their results. */
const commandTasks =
  (command: string): RunTasks =>
  (tasks, { signal }) => {
    const child = start(command, [], true);
    child.stdin.end(tasks.map((task) => `${task}\n`).join(''));
    return resultsOf([child], () => {}, signal);
  };

/**
 * Runs tasks on Spark: a command that begins with `spark-submit` and its options starts a script of
 * this program, which prints results among messages.
 */
const sparkTasks = (submit: string, tell: TaskHost['tell']): RunTasks =>
  async function* (tasks, call) {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-spark-'));
    try {
      const file = join(folder, 'tasks.jsonl');
      writeFileSync(file, tasks.join('\n'));
      const script = fileURLToPath(programFile('integrations/spark/lhs_spark.py')!);
      const command = [submit, shellWord(script), shellWord(file)].join(' ');
      for await (const line of commandTasks(command)([], call)) {
        if (line.startsWith('{')) yield line;
        else tell(line);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

/** The lines that processes print; `next` is called with a process after each. */
async function* resultsOf(
  children: readonly Child[],
  next: (child: Child) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const events = new EventEmitter();
  // what comes after the first fault is not waited for
  events.on('error', () => {});
  const lines = on(events, 'line', { close: ['end'], ...(signal && { signal }) });
  const ends = children.map((child) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      events.emit('line', line);
      next(child);
    });
    return endOf(child);
  });
  Promise.all(ends).then(
    () => events.emit('end'),
    (fault: unknown) => events.emit('error', fault),
  );
  try {
    for await (const [line] of lines) yield requireResult(line as string);
  } catch (error) {
    throw signal?.aborted ? new LhsError('interrupted', 'interrupted', { cause: error }) : error;
  } finally {
    for (const child of children) stop(child);
    await Promise.allSettled(ends);
  }
}

/** Waits for the end of a process. Throws if it fails. */
async function endOf(child: Child): Promise<void> {
  // a process that does not read what it gets has ended, or ends soon
  child.stdin.on('error', () => {});
  const [code, signal] = await once(child, 'close').catch((cause: unknown) => {
    throw new LhsError('invalid_argument', `"${child.spawnfile}" cannot be started`, { cause });
  });
  if (code === 0) return;
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  throw new LhsError('internal', `a process that runs tasks ${how}`, {
    hint: 'correct what it has printed, then build again: tasks that have run do nothing',
  });
}

function requireResult(line: string): string {
  if (!line.startsWith('{"error":')) return line;
  const { error } = JSON.parse(line) as ReturnType<typeof errorBody>;
  throw errorOf(error);
}

/** Ends a process and those that it has started; who does not heed that is killed. */
function stop(child: Child): void {
  const end = (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, signal);
  };
  end('SIGTERM');
  const timer = setTimeout(end, END_MS, 'SIGKILL');
  child.once('close', () => clearTimeout(timer));
}
