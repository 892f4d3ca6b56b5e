import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type errorBody, LhsError } from '@lakehouse-search/contract';
import type { RunTasks } from '@lakehouse-search/engine/internal';
import { errorOf } from './background-job.ts';

/** Time for processes to end after a signal, before they are killed. */
const END_MS = 10_000;
/** The command of `--runner local`; it prints its errors as results. */
const TASK = ['build', 'task', '--json'];

/** A process in a separate group, so that Ctrl-C in the terminal reaches only its parent. */
type Child = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
const start = (command: string, args: readonly string[], shell = false): Child =>
  spawn(command, args, { detached: true, shell, stdio: ['pipe', 'pipe', 'inherit'] });

/** Runs tasks by processes of this machine, each of which gets one after the other. */
export const localTasks =
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
export const commandTasks =
  (command: string): RunTasks =>
  (tasks, { signal }) => {
    const child = start(command, [], true);
    child.stdin.end(tasks.map((task) => `${task}\n`).join(''));
    return resultsOf([child], () => {}, signal);
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
