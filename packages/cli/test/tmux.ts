import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether this machine has a terminal to drive: tmux. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const WAIT_MS = 120_000;

/** A terminal of its own in a tmux server of its own, in which one shell script runs. */
export class Pane {
  readonly #socket: string;

  /** Commands are printed as without npx, also if npx runs the tests. */
  constructor(
    columns: number,
    rows: number,
    script: string,
    environment: Readonly<Record<string, string>>,
  ) {
    this.#socket = `lhs-test-${process.pid}-${Math.trunc(performance.now() * 1000)}`;
    const env = Object.entries({ npm_command: '', ...environment }).flatMap(([name, value]) => [
      '-e',
      `${name}=${value}`,
    ]);
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, ...env, script);
  }

  /** Presses keys by tmux's names (Enter, Tab, C-e, Down), one after another. */
  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', '--', text);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** What stands on the terminal, blanks at the ends of lines left out. */
  screen(): string {
    return this.#tmux('capture-pane', '-p').replace(/[ \t]+$/gm, '');
  }

  /** The same with its colours and weights as escape sequences. */
  styled(): string {
    return this.#tmux('capture-pane', '-e', '-p');
  }

  /** What programs have called the terminal. */
  title(): string {
    return this.#tmux('display-message', '-p', '#{pane_title}').trim();
  }

  /** The newest text that has been copied; empty without one. */
  buffer(): string {
    return spawnSync('tmux', ['-L', this.#socket, 'show-buffer'], { encoding: 'utf8' }).stdout;
  }

  /** The screen as soon as it holds the pattern; throws with the screen where it never does. */
  async until(pattern: RegExp): Promise<string> {
    const end = performance.now() + WAIT_MS;
    for (;;) {
      const screen = this.screen();
      if (pattern.test(screen)) return screen;
      if (performance.now() > end) throw new Error(`never ${pattern}:\n${screen}`);
      await delay(20);
    }
  }

  /** Sends a signal to what the script runs. */
  signal(name: NodeJS.Signals): void {
    const shell = this.#tmux('list-panes', '-F', '#{pane_pid}').trim();
    const child = execFileSync('pgrep', ['-P', shell], { encoding: 'utf8' }).trim();
    process.kill(Number(child), name);
  }

  /** The second page of the terminal is shown: a full screen program runs. */
  isAlternate(): boolean {
    return this.#tmux('display-message', '-p', '#{alternate_on}').trim() === '1';
  }

  /** The cursor is shown. */
  hasCursor(): boolean {
    return this.#tmux('display-message', '-p', '#{cursor_flag}').trim() === '1';
  }

  /** The terminal reports the mouse. */
  reportsMouse(): boolean {
    return this.#tmux('display-message', '-p', '#{mouse_any_flag}').trim() === '1';
  }

  dispose(): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server']);
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' });
  }
}
