import { openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import { LhsError } from '@lakehouse-search/contract';

/** The terminal to draw on and to read keys from, whatever the standard streams are tied to. */
export interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Lets go of what was opened; the standard streams stay open. */
  close(): void;
}

/**
 * Standard input and output where they are a terminal; standard error instead of a piped output, so
 * that keys can go into the pipe; else the controlling terminal. Throws invalid_argument where
 * there is none, or one that cannot move its cursor.
 */
export function terminalStreams(env: NodeJS.ProcessEnv): TerminalStreams {
  if (env.TERM === 'dumb') {
    throw new LhsError('invalid_argument', 'lhs tui cannot draw on a terminal with TERM "dumb"', {
      hint: 'use lhs search INDEX QUERY instead',
    });
  }
  const opened: { destroy(): unknown }[] = [];
  const open = <T extends { destroy(): unknown }>(stream: T): T => {
    opened.push(stream);
    return stream;
  };
  const input = process.stdin.isTTY ? process.stdin : open(new ReadStream(device('r')));
  const standard = [process.stdout, process.stderr].find((stream) => stream.isTTY);
  const output = standard ?? open(new WriteStream(device('w')));
  const unwatch = standard === undefined ? watchSize(output) : () => undefined;
  const close = () => {
    unwatch();
    for (const stream of opened) stream.destroy();
  };
  return { input, output, close };
}

/** Node follows the size of the standard streams only. */
function watchSize(output: WriteStream): () => void {
  const refresh = () => (output as WriteStream & { _refreshSize(): void })._refreshSize();
  process.on('SIGWINCH', refresh);
  return () => void process.off('SIGWINCH', refresh);
}

function device(mode: 'r' | 'w'): number {
  try {
    return openSync('/dev/tty', mode);
  } catch {
    throw new LhsError('invalid_argument', 'lhs tui needs a terminal', {
      hint: 'use lhs search INDEX QUERY instead',
    });
  }
}
