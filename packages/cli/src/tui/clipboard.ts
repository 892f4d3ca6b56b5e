import { spawn } from 'node:child_process';

/** What takes a text on its standard input and keeps it as the clipboard. */
export type ClipboardProgram = readonly [command: string, ...args: string[]];

/**
 * Copies a text.
 *
 * 1. The terminal gets an OSC 52 sequence (xterm control sequences), which works through ssh.
 * 2. If it might ignore that, a program of this machine gets the text too: tmux, which swallows
 *    such sequences, or the program of the desktop.
 *
 * No terminal reports whether it took the text. Programs that are missing or fail are ignored.
 */
export function copyText(
  text: string,
  env: NodeJS.ProcessEnv,
  write: (sequence: string) => unknown,
): void {
  write(clipboardSequence(text, env));
  const program = clipboardProgram(env, process.platform);
  if (program === undefined) return;
  const [command, ...args] = program;
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
}

/** OSC 52; within GNU screen (`STY`) in the device control string that it passes on. */
export function clipboardSequence(text: string, { STY }: NodeJS.ProcessEnv): string {
  const sequence = `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
  return STY === undefined ? sequence : `\u001bP${sequence}\u001b\\`;
}

/** tmux's, else the desktop's that this process runs on; none at the far end of an ssh. */
export function clipboardProgram(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): ClipboardProgram | undefined {
  if (env.TMUX !== undefined) return ['tmux', 'load-buffer', '-w', '-'];
  if (env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined) return undefined;
  if (platform === 'darwin') return ['pbcopy'];
  if (platform === 'win32') return ['clip'];
  if (env.WAYLAND_DISPLAY !== undefined) return ['wl-copy'];
  return env.DISPLAY === undefined ? undefined : ['xclip', '-selection', 'clipboard'];
}
