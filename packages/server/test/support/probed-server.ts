/** A server as a process, whose main thread and memory a test can measure from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SENT_AT } from './sent-at.ts';
import type { ProbeMessage } from './server-probe.ts';

const LHS = fileURLToPath(new URL('../../../cli/bin/lhs.js', import.meta.url));
const PROBE = new URL('./server-probe.ts', import.meta.url).href;

/** A running `lhs serve all`. */
export class ProbedServer {
  readonly url: string;
  readonly #child: ChildProcess;
  #probes = 0;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child.setMaxListeners(100);
    this.url = url;
  }

  /** Starts one with settings from variables, and waits until it listens. */
  static async start(env: Readonly<Record<string, string>>): Promise<ProbedServer> {
    const free = ['--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0'];
    const child = spawn(process.execPath, [LHS, 'serve', 'all', '--json', ...free], {
      env: {
        ...env,
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_OPTIONS: `--import=${PROBE}`,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const errors: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
    let text = '';
    for await (const chunk of child.stdout!) {
      text += String(chunk);
      const line = text.split('\n').find((each) => each.startsWith('{"url":'));
      if (line === undefined || !text.includes('\n', text.indexOf(line))) continue;
      child.stdout!.resume();
      return new ProbedServer(child, (JSON.parse(line) as { url: string }).url);
    }
    throw new Error(`the server ended: ${errors.join('')}`);
  }

  /** Processor time of the main thread between a request to `/livez` and its answer. */
  async livezMs(): Promise<number> {
    const { hostname, port, host } = new URL(this.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const sentAt = `${this.#mainThreadNs()} ${this.#probes++}`;
    const told = this.#told((message) => 'livezMs' in message && message.sentAt === sentAt);
    socket.resume();
    socket.write(
      `GET /livez HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${SENT_AT}: ${sentAt}\r\n\r\n`,
    );
    const message = await told;
    socket.destroy();
    return 'livezMs' in message ? message.livezMs : Number.NaN;
  }

  /** Memory of the process after a garbage collection, in bytes. */
  async rss(): Promise<number> {
    const told = this.#told((message) => 'rss' in message);
    this.#child.send('collect');
    const message = await told;
    return 'rss' in message ? message.rss : Number.NaN;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  #mainThreadNs(): string {
    const { pid } = this.#child;
    return readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ', 1)[0];
  }

  #told(isAnswer: (message: ProbeMessage) => boolean): Promise<ProbeMessage> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const take = (message: ProbeMessage) => {
        if (isAnswer(message)) end(() => resolve(message));
      };
      const fail = () => end(() => reject(new Error('the server ended')));
      const end = (settle: () => void) => {
        child.off('message', take).off('exit', fail);
        settle();
      };
      child.on('message', take).on('exit', fail);
    });
  }
}
