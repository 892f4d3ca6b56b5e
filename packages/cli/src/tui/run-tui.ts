import { LhsError, type SearchMode } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { render } from 'ink';
import { createElement } from 'react';
import { wantsColor } from '../terminal/terminal.ts';
import { App } from './app.ts';
import { copyText } from './clipboard.ts';
import { screenIndex } from './lists.ts';
import { watchMouse } from './mouse.ts';
import { Session } from './session.ts';
import { addHistory, historyFile, readHistory } from './state/history.ts';
import type { ScreenIndex } from './state/question.ts';
import { initialState, NO_INDEX, type Outcome } from './state/state.ts';
import { type TerminalStreams, terminalStreams } from './terminal-streams.ts';
import { Painter } from './view/painter.ts';

/** What a screen begins with. */
export interface TuiOptions {
  /** Without one the screen begins with the choice of an index. */
  readonly index: string | undefined;
  readonly query?: string;
  /** Default: `lexical`. */
  readonly mode?: SearchMode;
  readonly dataDir: string;
}

/**
 * Shows the screen until the person leaves or takes keys. 1. describes the index (refused before
 * anything is drawn); 2. draws on the terminal's second page, which leaves the first as it was; 3.
 * asks and draws until there is an outcome. Throws what the backend refuses, and invalid_argument
 * without a terminal that can be drawn on.
 */
export async function runTui(backend: BackendApi, options: TuiOptions): Promise<Outcome> {
  const index = options.index === undefined ? NO_INDEX : await screenIndex(backend, options.index);
  const mode = startingMode(index, options.mode);
  const streams = terminalStreams(process.env);
  const { columns, rows } = streams.output;
  const file = historyFile(options.dataDir);
  const history = {
    read: (name: string) => readHistory(file, name),
    add: (name: string, query: string) => addHistory(file, name, query),
  };
  const session = new Session(backend, history, {
    ...initialState(index, { columns, rows }, options.query),
    mode,
  });
  try {
    const outcome = await shown(session, streams);
    await session.remember();
    return outcome;
  } finally {
    streams.close();
  }
}

/**
 * Throws invalid_argument for one that the index cannot be asked in; unknown of one to be chosen.
 */
function startingMode(index: ScreenIndex, mode: SearchMode = 'lexical'): SearchMode {
  if (index.name === '' || index.modes.includes(mode)) return mode;
  throw new LhsError('invalid_argument', `"${index.name}" cannot be searched in mode ${mode}`, {
    hint: index.lexicalOnly ?? `its modes: ${index.modes.join(', ')}`,
  });
}

async function shown(session: Session, { input, output }: TerminalStreams): Promise<Outcome> {
  const color = wantsColor(process.env, true);
  const stopCopying = copies(session, output);
  const stopMouse = watchMouse({ input, output }, session.dispatch);
  const printAgain = notesWarnings(session);
  output.on('error', hungUp);
  // before the first frame: keys pressed early would be echoed into it
  input.setRawMode(true);
  const painter = new Painter((text) => output.write(text), color);
  const app = render(createElement(App, { session, painter, stop: stopped }), {
    stdin: input,
    stdout: output,
    interactive: true,
    alternateScreen: true,
    exitOnCtrlC: false,
  });
  session.start();
  try {
    return ((await app.waitUntilExit()) as Outcome | undefined) ?? { type: 'left' };
  } finally {
    stopCopying();
    printAgain();
    app.cleanup();
    stopMouse();
    output.off('error', hungUp);
  }
}

const HUNG_UP_EXIT = 129;

/** The terminal has gone away: there is nobody to draw for, and nothing to restore. */
function hungUp(): void {
  process.exit(HUNG_UP_EXIT);
}

/** Shows the warnings of this process at the foot; Node would print them over the screen. */
function notesWarnings(session: Session): () => void {
  const printers = process.rawListeners('warning') as ((warning: Error) => void)[];
  const note = ({ message }: Error) => session.dispatch({ type: 'noted', note: message });
  process.removeAllListeners('warning');
  process.on('warning', note);
  return () => {
    process.off('warning', note);
    for (const printer of printers) process.on('warning', printer);
  };
}

/** Sends each copied text to the terminal once. */
function copies(session: Session, output: NodeJS.WritableStream): () => void {
  let times = 0;
  return session.subscribe(() => {
    const { copied } = session.state;
    if (copied.times === times) return;
    times = copied.times;
    copyText(copied.text, process.env, (sequence) => output.write(sequence));
  });
}

const CONTINUES_MS = 100;

/**
 * Stops this process and those that started it with it, as the shell's Ctrl-Z would; comes back
 * when it goes on. A group that nobody waits for is not stopped by the kernel, and goes on at once.
 * Windows cannot stop processes.
 */
async function stopped(): Promise<void> {
  if (process.platform === 'win32') return;
  const listeners = process.rawListeners('SIGTSTP') as (() => void)[];
  for (const listener of listeners) process.off('SIGTSTP', listener);
  const continued = new Promise<void>((done) => {
    process.once('SIGCONT', () => done());
    setTimeout(done, CONTINUES_MS);
  });
  process.kill(0, 'SIGTSTP');
  await continued;
  for (const listener of listeners) process.on('SIGTSTP', listener);
}
